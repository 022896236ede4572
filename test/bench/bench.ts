import { localMessageOf } from '../../infra/local/local-error.ts';
import { chapterNames, parseOptions, usage } from './options.ts';
import { requirePackages } from './packages.ts';

/** Runs `npm run bench`. @throws LocalError for a mistake in the arguments, and whatever a chapter throws */
async function bench(args: string[]): Promise<void> {
  const options = parseOptions(args, chapterNames);
  if (options.help) {
    process.stdout.write(usage(chapterNames));
    return;
  }
  requirePackages();
  const { measure } = await import('./measure.ts');
  await measure(options);
}

try {
  await bench(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${localMessageOf(error)}\n`);
  process.exit(1);
}
