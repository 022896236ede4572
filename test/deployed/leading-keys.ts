import {
  DynamoDBClient,
  GetItemCommand,
  QueryCommand,
  TransactGetItemsCommand,
  TransactionCanceledException,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { messageOf } from '../../infra/admin/admin-error.ts';
import { clientConfig, keyNamesOf } from '../../shared/ledger/index.ts';
import { warmUpKey } from '../../shared/ledger/internal/keys.ts';
import type { Target } from './target.ts';

const pk = { S: warmUpKey.pk };
const Key = { pk, sk: { S: warmUpKey.sk } };
const IndexName = 'gsi1';

type Call = (client: DynamoDBClient, TableName: string) => Promise<unknown>;

/**
 * Calls whose conditions may lack the key, because AWS does not document it. The calls change and find nothing,
 * because no item has this key.
 */
const open: Record<string, Call> = {
  'parts of a transaction that reads': (client, TableName) =>
    client.send(new TransactGetItemsCommand({ TransactItems: [{ Get: { TableName, Key } }] })),
  'parts of a transaction that writes': (client, TableName) => {
    const Delete = { TableName, Key, ConditionExpression: 'attribute_exists(pk)' };
    return client.send(new TransactWriteItemsCommand({ TransactItems: [{ Delete }] }));
  },
  'queries of an index': (client, TableName) => {
    const KeyConditionExpression = `${keyNamesOf(IndexName).pkName} = :pk`;
    const ExpressionAttributeValues = { ':pk': pk };
    return client.send(
      new QueryCommand({ TableName, IndexName, KeyConditionExpression, ExpressionAttributeValues }),
    );
  },
};

/**
 * Asks DynamoDB where it supplies `dynamodb:LeadingKeys` to the conditions of roles. Each statement of the role that asks
 * requires the key. Returns a text for the terminal: the answers, and the setting that follows.
 */
export async function askLeadingKeys({ probeRole, tableName }: Target): Promise<string> {
  if (probeRole === undefined)
    return notAsked('only the stack of dev has the role for that. The answer is the same in each stage');
  let client: DynamoDBClient | undefined;
  try {
    client = await clientOfRole(probeRole);
    // AWS documents the key for this call. So a refusal here says nothing about the key.
    await client.send(new GetItemCommand({ TableName: tableName, Key }));
    const lines: string[] = [];
    let isSupplied = true;
    for (const [kind, call] of Object.entries(open)) {
      const allowed = await isAllowed(call(client, tableName));
      lines.push(`  ${kind.padEnd(36)}${allowed ? 'supplied' : 'not supplied'}\n`);
      isSupplied &&= allowed;
    }
    return (
      `\ndynamodb:LeadingKeys, as docs/operations.md, "What roles reach" explains:\n\n${lines.join('')}\n` +
      `So requireLeadingKeys ${isSupplied ? 'can be true' : 'must be false'}.\n`
    );
  } catch (error) {
    return notAsked(messageOf(error));
  } finally {
    client?.destroy();
  }
}

const notAsked = (why: string) =>
  `\nIt was not asked where DynamoDB supplies dynamodb:LeadingKeys: ${why}.\n`;

async function clientOfRole(RoleArn: string): Promise<DynamoDBClient> {
  const sts = new STSClient({});
  try {
    const { Credentials: { AccessKeyId, SecretAccessKey, SessionToken } = {} } = await sts.send(
      new AssumeRoleCommand({ RoleArn, RoleSessionName: 'leading-keys', DurationSeconds: 900 }),
    );
    const credentials = {
      accessKeyId: AccessKeyId ?? '',
      secretAccessKey: SecretAccessKey ?? '',
      ...(SessionToken !== undefined && { sessionToken: SessionToken }),
    };
    return new DynamoDBClient({ ...clientConfig, credentials });
  } finally {
    sts.destroy();
  }
}

/** False if a role refuses the call. True also if only the call's own condition failed. */
async function isAllowed(call: Promise<unknown>): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (error) {
    if (error instanceof TransactionCanceledException) return true;
    if (error instanceof Error && error.name === 'AccessDeniedException') return false;
    throw error;
  }
}
