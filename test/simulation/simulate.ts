import { loadRun } from './load-run.ts';
import { breakages, isNoticed, type Breakage } from './run/breakages.ts';
import { parseOptions, usage, UsageError } from './run/options.ts';

type Run = typeof import('./run/run.ts').run;

/** `npm run simulate`. Returns the exit code. */
async function main(args: string[]): Promise<number> {
  const { help, breakage, ...options } = parseOptions(args);
  if (help) {
    process.stdout.write(usage);
    return 0;
  }
  const { run, reportOf, planNames } = await loadRun();
  const unknown = options.often.filter((name) => !planNames.includes(name));
  if (unknown.length > 0)
    throw new UsageError(`--often names no plan: ${unknown.join(', ')}. The plans: ${planNames.join(', ')}.`);
  if (breakage === 'all') return breakAll(run, options);
  let printedAt = 0;
  const { figures, seconds, digest, failed } = await run({
    ...options,
    breakage,
    onProgress: ({ calls, episodes }, elapsed) => {
      if (!process.stdout.isTTY || elapsed < printedAt + 10) return;
      printedAt = elapsed;
      process.stdout.write(`${episodes} episodes, ${calls} operations, ${elapsed.toFixed(0)} s\n`);
    },
  });
  process.stdout.write(`${[...figures.lines(seconds), `Digest              ${digest}`].join('\n')}\n`);
  if (failed) {
    const often = options.often.length === 0 ? '' : ` --often ${options.often.join(',')}`;
    const more = breakage === undefined ? often : `${often} --break ${breakage}`;
    process.stderr.write(`\n${reportOf(failed.episode, failed.seed, more)}`);
  }
  return failed ? 1 : 0;
}

/** Runs each breakage, and prints which violation reported it. Returns 1 if a check of its rule did not report one. */
async function breakAll(
  run: Run,
  options: Omit<Parameters<Run>[0], 'breakage' | 'onProgress'>,
): Promise<number> {
  let code = 0;
  for (const name of Object.keys(breakages) as Breakage[]) {
    const { failed } = await run({ ...options, breakage: name, onProgress: () => undefined });
    const reported = failed?.episode.world.violation?.violation.message;
    process.stdout.write(`${name}: ${reported ?? 'not noticed'}\n`);
    if (isNoticed(name, reported)) continue;
    process.stderr.write(`No check of its rule reported ${name}.\n`);
    code = 1;
  }
  return code;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
