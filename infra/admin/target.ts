import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { KMSClient } from '@aws-sdk/client-kms';
import * as v from 'valibot';
import type { System } from '../../shared/core/system.ts';
import type { TokenMode } from '../../shared/domain/tokens/token.ts';
import type { SecretBox } from '../../shared/domain/webhooks/secrets.ts';
import { newSecretBox } from '../../shared/http/clients/secret-box.ts';
import { findMachine, type RunningMachine } from '../local/data-folder.ts';
import { clientOf, localCredentials } from '../local/engine.ts';
import { region as localRegion } from '../local/arns.ts';
import { canBeDeployed, isStageName, optionsOf, stageRule } from '../stack/stage.ts';
import { AdminError } from './admin-error.ts';
import { parseOptions } from './values.ts';
import { checkSettings, findData } from './stack.ts';
import { clientConfig, openStore, type Store } from '../../shared/ledger/index.ts';

/**
 * The account at AWS End User Messaging SMS through which a stack sends SMS, or its stand-in on the local
 * machine.
 */
export interface SmsAccount {
  region: string;
  credentials: NonNullable<DynamoDBClientConfig['credentials']>;
  /** URL of the stand-in; absent on AWS. */
  endpoint?: string;
  /** ARN of the topic for incoming SMS. The account's numbers must publish to it. */
  topicArn: string;
}

/** The table that a command works on. */
export interface Target {
  store: Store;
  /** A client for the same table, for reads without a ledger. */
  client: DynamoDBClient;
  tableName: string;
  /** Location of the table, for messages, such as `on the local machine`. */
  place: string;
  /** Options that choose this table, for commands that a message suggests, such as `--stage prod`. */
  chosen: string;
  /** The mode of tokens issued there. */
  mode: TokenMode;
  /** The SMS provider's account. @throws AdminError that says why there is none */
  smsAccount: () => SmsAccount;
  /** Encrypts secrets by the stack's key. @throws AdminError that says why it cannot */
  secretBox: () => SecretBox;
  close: () => void;
}

export const targetOptions = [
  [
    '--stage <stage>',
    'the deployed stack of a stage, such as dev or prod, in AWS_REGION and with the credentials of AWS_PROFILE',
  ],
  [
    '--table <name>',
    "with --stage: use this table instead of the stack's, such as a restored table; the stack need not be there",
  ],
  ['--local', 'the machine that "npm start" runs now'],
  ['--data <folder>', 'with --local: its data folder (default: ".data")'],
] as const;

/** Name of a stage that can be deployed. */
export const deployedStage = v.pipe(
  v.string(),
  v.check(isStageName, stageRule),
  v.check(canBeDeployed, 'must be a stage that can be deployed: local is for sam local alone'),
);

const TargetOptions = v.pipe(
  v.object({
    stage: v.optional(deployedStage),
    table: v.optional(
      v.pipe(
        v.string(),
        v.check((name) => !name.startsWith('arn:'), 'must be the name of a table, not its ARN'),
        // Otherwise the next option would be taken for a forgotten name.
        v.regex(/^\w/, 'must be followed by the name of a table, which begins with a letter, a digit or "_"'),
        v.regex(/^[\w.-]*$/, 'must be the name of a table, which has only letters, digits, "_", "-" and "."'),
        v.regex(/^.{3,255}$/, 'must be the name of a table, which has 3 to 255 characters'),
      ),
    ),
    local: v.optional(v.boolean(), false),
    data: v.optional(v.pipe(v.string(), v.minLength(1, 'must name a folder'))),
  }),
  v.check(({ stage, local }) => stage === undefined || !local, '--stage and --local cannot be combined'),
  v.check(({ data, local }) => data === undefined || local, '--data goes with --local alone'),
  v.check(
    ({ table, stage }) => table === undefined || stage !== undefined,
    '--table goes with --stage alone',
  ),
  v.check(
    ({ stage, local }) => stage !== undefined || local,
    'Say which table: --stage dev, --stage prod, or --local',
  ),
);

/** Default data folder of the local machine. */
const usualFolder = '.data';

export type TargetChoice = v.InferOutput<typeof TargetOptions>;

/** @throws AdminError unless exactly one table is named */
export const chooseTarget = (typed: unknown): TargetChoice => parseOptions(TargetOptions, typed);

/** Quotes a word for a shell if it needs quotes. */
const inQuotes = (word: string) => (/^[\w./:-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

/** @throws AdminError or LocalError that says why there is no such table */
export async function openTarget(choice: TargetChoice, system: System): Promise<Target> {
  const { stage, table, data = usualFolder } = choice;
  const opened = (client: DynamoDBClient, tableName: string) => ({
    store: openStore(client, tableName, system),
    client,
    tableName,
    close: client.destroy.bind(client),
  });
  if (stage === undefined) {
    const machine = findMachine(data);
    const { endpoint, tableName } = machine;
    await checkAnswers(endpoint, data);
    return {
      place: 'on the local machine',
      chosen: data === usualFolder ? '--local' : `--local --data ${inQuotes(data)}`,
      mode: 'test',
      smsAccount: () => standInOf(machine),
      secretBox: () => boxOf(machine),
      ...opened(clientOf({ endpoint }, clientConfig), tableName),
    };
  }
  if (table !== undefined) {
    const client = new DynamoDBClient(clientConfig);
    const region = await checkSettings(client.config);
    return {
      place: `in the table ${table} of ${region}`,
      chosen: `--stage ${stage} --table ${table}`,
      mode: stage === 'prod' ? 'live' : 'test',
      smsAccount: () => {
        throw new AdminError(
          'Texts come in by the topic of the stack, which --table leaves out: do it without --table.',
        );
      },
      secretBox: () => {
        throw new AdminError(
          'Secrets are encrypted by the key of the stack, which --table leaves out: do it without --table.',
        );
      },
      ...opened(client, table),
    };
  }
  const { tableName, model, region, credentials, topicArn, secretsKey } = await findData(stage);
  return {
    place: `in the stage ${stage} of ${region}`,
    chosen: `--stage ${stage}`,
    mode: model === 'prod' ? 'live' : 'test',
    smsAccount: () => {
      if (topicArn !== undefined) return { region, credentials, topicArn };
      throw new AdminError(
        `SMS is off in the stage ${stage} of ${region}: set sms to true, and deploy it with "npx cdk deploy --all ${optionsOf(stage, model)}".`,
      );
    },
    secretBox: () => newSecretBox(new KMSClient({ region, credentials }), secretsKey()),
    ...opened(new DynamoDBClient({ ...clientConfig, region, credentials }), tableName),
  };
}

/** @throws AdminError for a machine that has no stand-in for the SMS provider */
function standInOf({ smsEndpoint, textsTopicArn }: RunningMachine): SmsAccount {
  if (smsEndpoint === undefined || textsTopicArn === undefined)
    throw new AdminError(
      'The running machine is of an older version, and takes no texts: stop it, and run "npm start" again.',
    );
  return {
    region: localRegion,
    credentials: credentialsHere,
    endpoint: smsEndpoint,
    topicArn: textsTopicArn,
  };
}

/** @throws AdminError for a machine that has no stand-in for KMS */
function boxOf({ secrets }: RunningMachine): SecretBox {
  if (!secrets)
    throw new AdminError(
      'The running machine is of an older version, and encrypts no secrets: stop it, and run "npm start" again.',
    );
  const { endpoint, key } = secrets;
  return newSecretBox(new KMSClient({ region: localRegion, credentials: credentialsHere, endpoint }), key);
}

const credentialsHere = {
  accessKeyId: localCredentials.AWS_ACCESS_KEY_ID,
  secretAccessKey: localCredentials.AWS_SECRET_ACCESS_KEY,
};

/**
 * Checks that the database answers. A database may have ended before the machine did, above all a database
 * that `DYNAMODB_ENDPOINT` names.
 */
async function checkAnswers(endpoint: string, folder: string): Promise<void> {
  try {
    await fetch(endpoint, { method: 'HEAD' });
  } catch {
    throw new AdminError(
      `No database answers at ${endpoint}, where the last "npm start" on ${folder} had it: run "npm start" again.`,
    );
  }
}
