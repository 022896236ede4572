import { redirectModules } from './run/module-hooks.ts';
import { parseOptions, usage, UsageError } from './run/options.ts';

/** `npm run simulate`. Returns the exit code. */
async function main(args: string[]): Promise<number> {
  const { help, ...options } = parseOptions(args);
  if (help) {
    process.stdout.write(usage);
    return 0;
  }
  // Everything else is loaded only once it finds the simulated surroundings.
  redirectModules();
  await import('libphonenumber-js/max');
  const { installClock } = await import('./run/process-clock.ts');
  const { run } = await import('./run/run.ts');
  const { reportOf } = await import('./run/report.ts');
  installClock();
  let told = 0;
  const { figures, seconds, digest, failed } = await run({
    ...options,
    onProgress: ({ calls, episodes }, elapsed) => {
      if (!process.stdout.isTTY || elapsed < told + 10) return;
      told = elapsed;
      process.stdout.write(`${episodes} episodes, ${calls} operations, ${elapsed.toFixed(0)} s\n`);
    },
  });
  if (failed) {
    const { breakage } = options;
    const more = breakage === undefined ? '' : ` --break ${breakage}`;
    process.stderr.write(reportOf(failed.episode, failed.seed, more));
  }
  process.stdout.write(`${[...figures.lines(seconds), `Digest              ${digest}`].join('\n')}\n`);
  return failed ? 1 : 0;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
