import { parseArgs } from 'node:util';
import { argumentMistake } from '../../../infra/argument-mistake.ts';
import { breakages, type Breakage } from './breakages.ts';
import type { RunOptions } from './run.ts';

export const usage = `Runs the whole service on a simulated DynamoDB, and checks every answer and every write against a model.

  npm run simulate -- [options]

  --seed N         what chance depends on (1)
  --operations N   how many calls to DynamoDB to make (100000)
  --minutes N      how long to run instead
  --often NAMES    make these plans ten times as frequent: createLead,eraseLead
  --episode N      replay the one episode with this seed
  --break NAME     break the service, to see that it is noticed: ${Object.keys(breakages).join(', ')};
                   or all, one after the other
  --help           this text
`;

/** A mistake in the command line. The message is one sentence. */
export class UsageError extends Error {}

export type Options = Omit<RunOptions, 'onProgress' | 'breakage'> & {
  breakage: Breakage | 'all' | undefined;
  help: boolean;
};

/** @throws UsageError */
export function parseOptions(args: string[]): Options {
  const values = parse(args);
  const { operations, minutes, episode } = values;
  if (operations !== undefined && minutes !== undefined) {
    throw new UsageError('--operations and --minutes cannot be combined.');
  }
  return {
    seed: wholeNumber('seed', values.seed ?? '1', 0),
    limit:
      minutes === undefined
        ? { operations: wholeNumber('operations', operations ?? '100000', 1) }
        : { minutes: positive('minutes', minutes) },
    episode: episode === undefined ? undefined : wholeNumber('episode', episode, 0),
    often: values.often?.split(',') ?? [],
    breakage: values.break === undefined ? undefined : breakageOf(values.break),
    help: values.help ?? false,
  };
}

function parse(args: string[]) {
  try {
    const { values } = parseArgs({
      args,
      options: {
        seed: { type: 'string' },
        operations: { type: 'string' },
        minutes: { type: 'string' },
        episode: { type: 'string' },
        often: { type: 'string' },
        break: { type: 'string' },
        help: { type: 'boolean' },
      },
    });
    return values;
  } catch (error) {
    throw new UsageError(`${argumentMistake(error)}: "npm run simulate -- --help" lists the options.`);
  }
}

function wholeNumber(name: string, text: string, least: number): number {
  if (!/^\d{1,10}$/.test(text) || Number(text) < least) {
    throw new UsageError(`--${name} must be a whole number from ${least}, not "${text}".`);
  }
  return Number(text);
}

function positive(name: string, text: string): number {
  const number = Number(text);
  if (!(number > 0 && number < 100_000))
    throw new UsageError(`--${name} must be a number above 0, not "${text}".`);
  return number;
}

function breakageOf(text: string): Breakage | 'all' {
  if (text === 'all') return text;
  if (!Object.hasOwn(breakages, text)) {
    throw new UsageError(
      `--break must be one of ${Object.keys(breakages).join(', ')}, or all, not "${text}".`,
    );
  }
  return text as Breakage;
}
