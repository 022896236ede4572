import { temporaryFolder } from './data-folder.ts';
import { localMessageOf } from './local-error.ts';
import { synthesize } from './synthesize.ts';

/** Entry of `npm start`. */
async function start(): Promise<void> {
  const { run } = await load();
  await run(process.argv.slice(2));
}

async function load(): Promise<typeof import('./run.ts')> {
  try {
    return await import('./run.ts');
  } catch (error) {
    // A source file does not load. The synthesis loads it, too, and reports where it fails.
    const folder = temporaryFolder();
    await synthesize(folder.assembly).finally(folder.release);
    throw error;
  }
}

try {
  await start();
} catch (error) {
  process.stderr.write(`${localMessageOf(error)}\n`);
  process.exit(1);
}
