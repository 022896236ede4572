import { parseArgs } from 'node:util';
import { argumentMistake } from '../../infra/argument-mistake.ts';
import { LocalError } from '../../infra/local/local-error.ts';
import type { Part } from './part.ts';

export interface OutsideOptions {
  /** Parts to run. */
  chosen: readonly Part[];
  help: boolean;
}

export const usage = (parts: readonly Part[]) => `Shows the service to tools made by others.

  npm run test:outside -- [options]

  --only A,B  only these parts
  --help      this text

The parts, each of which is left out where its tools are not there:

${parts.map(({ name, about }) => `  ${name.padEnd(16)}${about}\n`).join('')}`;

/** @throws LocalError that names the mistake */
export function parseOptions(args: string[], parts: readonly Part[]): OutsideOptions {
  const { only, help } = parse(args);
  if (only === undefined) return { chosen: parts, help };
  const names = only.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !parts.some((part) => part.name === name));
  if (unknown !== undefined) {
    const all = parts.map(({ name }) => name).join(', ');
    throw new LocalError(`There is no part "${unknown}": the parts are ${all}.`);
  }
  return { chosen: parts.filter(({ name }) => names.includes(name)), help };
}

function parse(args: string[]) {
  try {
    const { values } = parseArgs({
      args,
      options: {
        only: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    });
    return values;
  } catch (error) {
    throw new LocalError(`${argumentMistake(error)}: "npm run test:outside -- --help" lists the options.`);
  }
}
