import { performance } from 'node:perf_hooks';
import type { Breakage } from './breakages.ts';
import { seedOf } from './draw.ts';
import { runEpisode, type EpisodeResult } from './episode.ts';
import { Digest, Figures } from './report.ts';
import { Violation } from './violation.ts';

export interface RunOptions {
  seed: number;
  /** Number of calls to DynamoDB, or duration in minutes. */
  limit: { operations: number } | { minutes: number };
  /** Seed of a single episode to run instead of the run's own. */
  episode: number | undefined;
  /** Names of plans that are frequent in every episode. */
  often: readonly string[];
  breakage: Breakage | undefined;
  /** Called after each episode. */
  onProgress: (figures: Figures, seconds: number) => void;
}

export interface RunResult {
  figures: Figures;
  seconds: number;
  digest: string;
  /** Episode with a violation, and its seed. */
  failed: { seed: number; episode: EpisodeResult } | undefined;
}

/** Runs episodes until the limit or the first violation. */
export async function run(options: RunOptions): Promise<RunResult> {
  let stray: unknown;
  const onStray = (error: unknown) => {
    stray ??= error;
  };
  process.on('unhandledRejection', onStray).on('uncaughtException', onStray);
  try {
    return await runEpisodes(options, () => stray);
  } finally {
    process.off('unhandledRejection', onStray).off('uncaughtException', onStray);
  }
}

async function runEpisodes(
  { seed, limit, episode, often, breakage, onProgress }: RunOptions,
  strayError: () => unknown,
): Promise<RunResult> {
  const began = performance.now();
  const figures = new Figures();
  const digest = new Digest();
  const seconds = () => (performance.now() - began) / 1000;
  const isOver = () =>
    'operations' in limit ? figures.calls >= limit.operations : seconds() >= limit.minutes * 60;
  for (let at = 0; at === 0 || !isOver(); at++) {
    const episodeSeed = episode ?? seedOf(seed, at);
    const fixed = often.length > 0 ? { frequent: often } : {};
    const result = await runEpisode({ seed: episodeSeed, breakage, figures, fixed });
    digest.add(result.digest);
    const stray = strayError();
    if (stray !== undefined) {
      const observed = stray instanceof Error ? stray.stack : stray;
      result.world.fail(new Violation('Every error must be caught', 'none', observed));
    }
    if (result.world.violation) {
      const failed = { seed: episodeSeed, episode: result };
      return { figures, seconds: seconds(), digest: digest.text, failed };
    }
    onProgress(figures, seconds());
    if (episode !== undefined) break;
  }
  return { figures, seconds: seconds(), digest: digest.text, failed: undefined };
}
