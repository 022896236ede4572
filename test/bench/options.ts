import { parseArgs } from 'node:util';
import { argumentMistake } from '../../infra/argument-mistake.ts';
import { LocalError } from '../../infra/local/local-error.ts';

/** Chapters of the benchmark, in order. */
export const chapterNames = ['cold', 'warm', 'receptionist', 'writers', 'webhooks', 'start'] as const;

export const usage = `Measures the service, and writes each chapter into docs/scale.md.

  npm run bench -- [options]

  --quick        smaller sizes and fewer repetitions; writes nothing
  --only A,B     only these chapters of ${chapterNames.join(', ')}
  --help         this text
`;

/** @throws LocalError that names the mistake */
export function parseOptions(args: string[]): { quick: boolean; only?: string[]; help: boolean } {
  const { only, ...options } = parse(args);
  if (only === undefined) return options;
  const names = only.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !(chapterNames as readonly string[]).includes(name));
  if (unknown !== undefined) {
    throw new LocalError(`There is no chapter "${unknown}": the chapters are ${chapterNames.join(', ')}.`);
  }
  return { ...options, only: names };
}

function parse(args: string[]) {
  try {
    const { values } = parseArgs({
      args,
      options: {
        quick: { type: 'boolean', default: false },
        only: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    });
    return values;
  } catch (error) {
    throw new LocalError(`${argumentMistake(error)}: "npm run bench -- --help" lists the options.`);
  }
}
