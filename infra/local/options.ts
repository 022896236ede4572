import { parseArgs } from 'node:util';
import { argumentMistake } from '../argument-mistake.ts';
import { sampleEndpoint } from './dynamodb-endpoint.ts';
import { LocalError } from './local-error.ts';

export interface StartOptions {
  port: number;
  /** The folder of the database; undefined for memory. */
  data: string | undefined;
  watch: boolean;
  help: boolean;
}

export const usage = `Runs the whole service on this machine: the synthesized template, on a real database.

  npm start -- [options]

  --port N      where to listen (3000; 0 for any free port)
  --data DIR    the folder to keep the data in (.data)
  --memory      keep the data in memory, and forget it at the end
  --no-watch    do not pick up changed source files
  --help        this text

Where DYNAMODB_ENDPOINT is the address of a DynamoDB, such as ${sampleEndpoint}, the data is there instead, and the
folder has the rest, such as the text messages.
`;

/** @throws LocalError that names the wrong option */
export function parseOptions(args: string[]): StartOptions {
  const { port, data, memory, watch, help } = parse(args);
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
    throw new LocalError(`--port must be a whole number from 0 to 65535, not "${port}".`);
  }
  if (data === '') throw new LocalError('--data must name a folder.');
  if (memory && data !== undefined) throw new LocalError('--memory and --data cannot be combined.');
  if (memory && process.env['DYNAMODB_ENDPOINT']) {
    throw new LocalError(
      '--memory and DYNAMODB_ENDPOINT cannot be combined: the data is in the DynamoDB that this names.',
    );
  }
  return { port: Number(port), data: memory ? undefined : (data ?? '.data'), watch, help };
}

function parse(args: string[]) {
  try {
    const { values } = parseArgs({
      args,
      allowNegative: true,
      options: {
        port: { type: 'string', default: '3000' },
        data: { type: 'string' },
        memory: { type: 'boolean', default: false },
        watch: { type: 'boolean', default: true },
        help: { type: 'boolean', default: false },
      },
    });
    return values;
  } catch (error) {
    throw new LocalError(`${argumentMistake(error)}: "npm start -- --help" lists the options.`);
  }
}
