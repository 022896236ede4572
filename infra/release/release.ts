import { SynthesisError } from '../synthesis-error.ts';
import { makeRelease } from './make-release.ts';
import { parseOptions, ReleaseError, usage } from './options.ts';

const print = (text: string) => process.stdout.write(text);

/** `npm run release`. */
try {
  const { help, ...options } = parseOptions(process.argv.slice(2));
  if (help) print(usage);
  else await makeRelease(options, new Date(), print);
} catch (error) {
  if (!(error instanceof ReleaseError || error instanceof SynthesisError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
