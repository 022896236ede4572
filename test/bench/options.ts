import { parseArgs } from 'node:util';
import { argumentMistake } from '../../infra/argument-mistake.ts';
import { LocalError } from '../../infra/local/local-error.ts';

/** Chapters of the report, in order. */
export const chapterNames = [
  'cold',
  'warm',
  'receptionist',
  'costs',
  'pages',
  'writers',
  'webhooks',
  'start',
] as const;

export interface BenchOptions {
  quick: boolean;
  /** Chapters to measure. Undefined for all. */
  only: string[] | undefined;
  /** File of the report. Undefined for the default of the kind of run. */
  out: string | undefined;
  help: boolean;
}

export const usage = (chapters: readonly string[]) => `Measures the service, and writes docs/performance.md.

  npm run bench -- [options]

  --quick        two minutes in all: smaller sizes and fewer repetitions; writes nothing
  --only A,B     only these chapters of ${chapters.join(', ')}; writes nothing
  --out FILE     write the report there, whatever is measured
  --help         this text
`;

/** @throws LocalError that names the mistake */
export function parseOptions(args: string[], chapters: readonly string[]): BenchOptions {
  const { quick, only, out, help } = parse(args);
  const names = only?.split(',').map((name) => name.trim());
  const unknown = names?.find((name) => !chapters.includes(name));
  if (unknown !== undefined) {
    throw new LocalError(`There is no chapter "${unknown}": the chapters are ${chapters.join(', ')}.`);
  }
  if (out === '') throw new LocalError('--out must name a file.');
  return { quick, only: names, out, help };
}

function parse(args: string[]) {
  try {
    const { values } = parseArgs({
      args,
      options: {
        quick: { type: 'boolean', default: false },
        only: { type: 'string' },
        out: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    });
    return values;
  } catch (error) {
    throw new LocalError(`${argumentMistake(error)}: "npm run bench -- --help" lists the options.`);
  }
}
