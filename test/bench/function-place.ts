import { join } from 'node:path';
import { bundle } from '../../infra/bundle/bundle.ts';
import { findContracts } from '../../infra/functions.ts';
import { temporaryFolder } from '../../infra/local/data-folder.ts';
import { localCredentials } from '../../infra/local/engine.ts';
import { region, smsArn } from '../../infra/local/intrinsics.ts';
import { startSmsStandIn } from '../../infra/local/messaging/sms-stand-in.ts';
import type { Statement } from '../../infra/local/role.ts';
import { openApiDocument } from '../../infra/open-api/open-api.ts';
import { stageSettings } from '../../infra/stack/stages.ts';
import { startTlsProxy } from '../support/tls-proxy.ts';
import { buildFolder } from './cold-builds.ts';
import type { EngineTable } from './database.ts';

const identity = `${smsArn}:phone-number/phone-local`;
const configurationSet = 'cold';

/** Folder for the builds of functions, and the environment in which a process runs one as Lambda does. */
export interface FunctionPlace {
  folder: string;
  environment: Record<string, string>;
}

/** Opens a place for functions, with DynamoDB behind TLS, and ends all that it started after `use`. */
export async function withFunctionPlace<T>(
  table: EngineTable,
  use: (place: FunctionPlace) => Promise<T>,
): Promise<T> {
  const { assembly, release } = temporaryFolder();
  const folder = buildFolder(assembly);
  const proxy = await startTlsProxy(table.endpoint);
  const maySend: Statement = {
    Effect: 'Allow',
    Action: ['sms-voice:SendTextMessage'],
    Resource: [identity, `${smsArn}:configuration-set/${configurationSet}`],
  };
  const sms = await startSmsStandIn({
    roleOf: () => [maySend],
    keep: () => undefined,
    hasConfigurationSet: (name) => name === configurationSet,
  });
  const environment = {
    ...localCredentials,
    AWS_SESSION_TOKEN: 'local',
    AWS_REGION: region,
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_LAMBDA_FUNCTION_NAME: 'cold',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '1024',
    AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint,
    AWS_ENDPOINT_URL_PINPOINT_SMS_VOICE_V2: sms.endpoint,
    NODE_EXTRA_CA_CERTS: proxy.certificate,
    HOME: folder,
    TABLE_NAME: table.tableName,
    SMS_ORIGINATION_IDENTITY: identity,
    SMS_CONFIGURATION_SET: configurationSet,
    REFUSED_TOKENS_PER_MINUTE: String(stageSettings.dev.refusedTokensPerAddressPerMinute),
    FORMS_PER_KEY_PER_DAY: String(stageSettings.dev.formsPerKeyPerDay),
  };
  try {
    return await use({ folder, environment });
  } finally {
    await sms.close();
    proxy.close();
    release();
  }
}

/** Bundles functions as they are deployed. Returns the file of an entry. */
export async function deployedFiles(
  entries: readonly string[],
  folder: string,
): Promise<(entry: string) => string> {
  const deployed = await bundle(entries, join(folder, 'deployed'), {
    OPEN_API_DOCUMENT: JSON.stringify(openApiDocument(await findContracts())),
  });
  return (entry) => join(deployed.get(entry)!.folder, 'index.mjs');
}
