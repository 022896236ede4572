import { isIPv4 } from 'node:net';
import { parseArgs } from 'node:util';
import { argumentMistake } from '../argument-mistake.ts';
import { samLocalDatabase } from '../stack/stage.ts';
import type { ContainerProxyOptions } from './proxies/container-proxy.ts';
import { sampleEndpoint } from './engine/dynamodb-endpoint.ts';
import { LocalError } from './local-error.ts';
import type { Settings } from './synthesize.ts';

export interface StartOptions {
  port: number;
  /** Address at which containers find the database. */
  engine: ContainerProxyOptions;
  /** Folder of the database; undefined for memory. */
  data: string | undefined;
  /** Settings that replace those in the stage's file. */
  settings: Settings;
  watch: boolean;
  /** True for a receiver of webhooks beside the service. */
  receive: boolean;
  help: boolean;
}

export const usage = `Runs the whole service on this machine: the synthesized template, on a real database.

  npm start -- [options]

  --port N           where to listen (3000; 0 for any free port)
  --data DIR         the folder to keep the data in (.data)
  -c NAME=VALUE      a setting of the stage, as with cdk deploy, such as -c formsPerKeyPerDay=10; as often as you like
  --memory           keep the data in memory, and forget it at the end
  --receive          receive a webhook of the first demo organization here: verify and print each event
  --no-watch         do not pick up changed source files
  --engine-port N    where the database is open to containers (${samLocalDatabase.port}, unless in use; 0 for any free port)
  --engine-host IP   the address of the database on this computer (127.0.0.1); for containers on Linux Docker's
                     bridge, 172.17.0.1
  --help             this text

If DYNAMODB_ENDPOINT is the address of a DynamoDB, such as ${sampleEndpoint}, the data is there instead. The
folder then has only the rest, such as the text messages.
`;

/** @throws LocalError that names the wrong option */
export function parseOptions(args: string[]): StartOptions {
  const {
    port,
    data,
    setting: given,
    memory,
    watch,
    receive,
    help,
    'engine-port': enginePort,
    'engine-host': engineHost,
  } = parse(args);
  if (engineHost !== undefined && !isIPv4(engineHost))
    throw new LocalError(
      `--engine-host must be an address of this computer, such as 127.0.0.1, not "${engineHost}".`,
    );
  if (data === '') throw new LocalError('--data must name a folder.');
  if (memory && data !== undefined) throw new LocalError('--memory and --data cannot be combined.');
  if (memory && process.env['DYNAMODB_ENDPOINT']) {
    throw new LocalError(
      '--memory and DYNAMODB_ENDPOINT cannot be combined: the data is in the DynamoDB that this names.',
    );
  }
  const engine = {
    host: engineHost ?? '127.0.0.1',
    port: enginePort === undefined ? samLocalDatabase.port : portIn('--engine-port', enginePort),
    isAskedFor: enginePort !== undefined || engineHost !== undefined,
  };
  return {
    port: portIn('--port', port),
    engine,
    data: memory ? undefined : (data ?? '.data'),
    settings: settingsIn(given),
    watch,
    receive,
    help,
  };
}

function settingsIn(given: readonly string[]): Settings {
  const settings = given.map((text): [string, string] => {
    const [, name = '', value = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
    if (name === '')
      throw new LocalError(`-c must be NAME=VALUE, such as -c formsPerKeyPerDay=10, not "${text}".`);
    if (name === 'stage') throw new LocalError('-c stage cannot be set: this machine runs the stage dev.');
    return [name, value];
  });
  return Object.fromEntries(settings);
}

function portIn(option: string, text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new LocalError(`${option} must be a whole number from 0 to 65535, not "${text}".`);
}

function parse(args: string[]) {
  try {
    const { values } = parseArgs({
      args,
      allowNegative: true,
      options: {
        port: { type: 'string', default: '3000' },
        data: { type: 'string' },
        'engine-port': { type: 'string' },
        'engine-host': { type: 'string' },
        setting: { type: 'string', short: 'c', multiple: true, default: [] },
        memory: { type: 'boolean', default: false },
        watch: { type: 'boolean', default: true },
        receive: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    return values;
  } catch (error) {
    throw new LocalError(`${argumentMistake(error)}: "npm start -- --help" lists the options.`);
  }
}
