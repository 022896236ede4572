import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { freePort } from '../../../infra/local/engine.ts';
import { withServer } from '../with-server.ts';

/** A running emulator of AWS: its address, and the environment that makes programs use it instead of AWS. */
export interface Emulator {
  endpoint: string;
  environment: NodeJS.ProcessEnv;
  /**
   * Supplies `dynamodb:LeadingKeys` for every call from now on. Before, the emulator supplies the key only for calls
   * that AWS documents it for.
   */
  supplyEveryKey: () => void;
}

export const region = 'us-east-1';
export const accountId = '000000000000';
/** Access key of the caller with all permissions: MiniStack does not check its signature. */
export const rootKey = 'test';

/**
 * Starts an empty MiniStack that enforces IAM, and ends it after `use`. Functions run on this process's
 * Node.js. The emulator and its functions end with this process.
 *
 * @param programs folder of the Python that has MiniStack
 * @param folder for the emulator's files
 */
export async function withEmulator<T>(
  { programs, folder }: { programs: string; folder: string },
  use: (emulator: Emulator) => Promise<T>,
): Promise<T> {
  const port = await freePort();
  mkdirSync(folder);
  const everyKey = join(folder, 'every-leading-key');
  const settings = {
    EVERY_LEADING_KEY: everyKey,
    AUTH: 'true',
    BIND_HOST: '127.0.0.1',
    GATEWAY_PORT: String(port),
    // Turns off other servers, which no test needs.
    IOT_MTLS_ENABLED: '0',
    SFTP_ENABLED: '0',
    LOG_LEVEL: 'WARNING',
    // Functions inherit it: the receiver of a webhook is a program of this computer.
    WEBHOOKS_REACH_LOOPBACK: 'yes',
    TMPDIR: folder,
    PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
  };
  const command = [
    'env',
    ...Object.entries(settings).map(([name, value]) => `${name}=${value}`),
    join(programs, 'python'),
    join(import.meta.dirname, 'start.py'),
  ];
  const endpoint = `http://127.0.0.1:${port}`;
  const supplyEveryKey = () => {
    writeFileSync(everyKey, '');
  };
  const url = `${endpoint}/_ministack/health`;
  return withServer({ name: 'MiniStack', url, command }, () =>
    use({ endpoint, environment: environmentOf(endpoint), supplyEveryKey }),
  );
}

/** Removes this computer's own AWS settings from the environment. */
function environmentOf(endpoint: string): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(AWS_|DYNAMODB_ENDPOINT$)/.test(name));
  return {
    ...Object.fromEntries(inherited),
    AWS_ENDPOINT_URL: endpoint,
    AWS_ACCESS_KEY_ID: rootKey,
    AWS_SECRET_ACCESS_KEY: rootKey,
    AWS_REGION: region,
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    AWS_EC2_METADATA_DISABLED: 'true',
  };
}
