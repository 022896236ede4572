import { makeRelease } from './make-release.ts';
import { parseOptions, usage } from './options.ts';
import { printErrors } from './print-errors.ts';

/** `npm run release`. */
await printErrors(async () => {
  const { help, ...wish } = parseOptions(process.argv.slice(2));
  process.stdout.write(help ? usage : await makeRelease(wish, new Date()));
  return 0;
});
