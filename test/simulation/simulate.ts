import { loadRun } from './load-run.ts';
import { breakages, isNoticed, type Breakage } from './run/breakages.ts';
import { parseOptions, usage, UsageError } from './run/options.ts';
import type { RunOptions } from './run/run.ts';

type Loaded = Awaited<ReturnType<typeof loadRun>>;
type Options = Omit<RunOptions, 'onProgress' | 'breakage'>;

/** `npm run simulate`. Returns the exit code. */
async function main(args: string[]): Promise<number> {
  const { help, breakage, ...options } = parseOptions(args);
  if (help) {
    process.stdout.write(usage);
    return 0;
  }
  const loaded = await loadRun();
  const { run, reportOf, planNames } = loaded;
  const unknown = options.often.filter((name) => !planNames.includes(name));
  if (unknown.length > 0)
    throw new UsageError(`--often names no plan: ${unknown.join(', ')}. The plans: ${planNames.join(', ')}.`);
  if (breakage === 'all') return breakAll(loaded, options);
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

/**
 * Runs each breakage, and prints which violation reported it. Returns 1 if a breakage was not reported by a check of
 * its rule. Also returns 1 if an operation was not carried out in any run, because its plan then proves nothing.
 */
async function breakAll({ run, reportOf, operationIds }: Loaded, options: Options): Promise<number> {
  let code = 0;
  const never = new Set(operationIds);
  const runOnce = async (more: Partial<RunOptions>) => {
    const { failed, figures } = await run({
      breakage: undefined,
      ...options,
      ...more,
      onProgress: () => undefined,
    });
    for (const operation of figures.carriedOut) never.delete(operation);
    return failed;
  };
  for (const name of Object.keys(breakages) as Breakage[]) {
    const reported = (await runOnce({ breakage: name }))?.episode.world.violation?.violation.message;
    process.stdout.write(`${name}: ${reported ?? 'not noticed'}\n`);
    if (isNoticed(name, reported)) continue;
    process.stderr.write(`No check of its rule reported ${name}.\n`);
    code = 1;
  }
  if (never.size === 0) return code;
  // A breakage ends its run early, so that chance leaves out what is rare.
  const often = [...never];
  const failed = await runOnce({ often });
  if (failed) process.stderr.write(reportOf(failed.episode, failed.seed, ` --often ${often.join(',')}`));
  if (never.size > 0) process.stderr.write(`No run carried out ${[...never].join(', ')}.\n`);
  return failed || never.size > 0 ? 1 : code;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
