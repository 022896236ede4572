import { enableCompileCache } from 'node:module';
import { ensureAssembly } from './assembly.ts';
import { localMessageOf } from './local-error.ts';

/** Entry of `npm start`. */
async function start(): Promise<void> {
  // A later start compiles only changed code. Node.js chooses the folder.
  enableCompileCache();
  const { parseOptions, usage } = await loaded(import('./options.ts'));
  const options = parseOptions(process.argv.slice(2));
  if (options.help) {
    process.stdout.write(usage);
    return;
  }
  process.stdout.write('Loading the local machine\n');
  const { run } = await loaded(import('./run.ts'));
  await run(options);
}

async function loaded<Module>(module: Promise<Module>): Promise<Module> {
  try {
    return await module;
  } catch (error) {
    // A source file does not load. The synthesis loads it, too, and reports where it fails.
    await ensureAssembly();
    throw error;
  }
}

try {
  await start();
} catch (error) {
  process.stderr.write(`${localMessageOf(error)}\n`);
  process.exit(1);
}
