import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { messageOf } from '../../infra/admin/admin-error.ts';
import { checkSettings, findData, findService } from '../../infra/admin/stack.ts';
import { LocalError } from '../../infra/local/local-error.ts';
import { stackNameOf } from '../../infra/stack/resource-names.ts';
import { realSystem } from '../../shared/core/system.ts';
import { warmUpKey } from '../../shared/ledger/internal/keys.ts';
import { clientAt, foundOrganizationAt } from '../support/stored-organization.ts';
import { verifyAndRemove } from '../support/verify-and-remove.ts';
import { checkModel, type Choice } from './options.ts';

/** A deployed stack: its API, and its table in the AWS account and region of the environment. */
export interface Target {
  /** Name in messages, such as `the stack SalesPipeline-dev in us-east-1`. */
  name: string;
  /** Address without a slash at its end. */
  baseUrl: string;
  tableName: string;
  /** Role to assume for `askLeadingKeys`. Undefined if there is none. */
  probeRole?: string | undefined;
}

/** Finds the stack to test. @throws AdminError or LocalError that says why there is none */
export async function findTarget(choice: Choice): Promise<Target> {
  if ('table' in choice) {
    const { url, table } = choice;
    await checkSettings(clientAt({}).config);
    return { name: `the API at ${url}`, baseUrl: url, tableName: table };
  }
  const { tableName, model, region } = await findData(choice.stage);
  checkModel(model, choice.allowProd);
  const service = await findService(choice.stage);
  const baseUrl = choice.url ?? service.baseUrl.replace(/\/+$/, '');
  const { probeRole } = service;
  return { name: `the stack ${stackNameOf(choice.stage)} in ${region}`, baseUrl, tableName, probeRole };
}

/**
 * Proves that the API serves the table: founds an organization in the table, reads it by the API, and removes
 * it.
 * @throws LocalError that says what does not fit
 */
export async function checkTarget({ baseUrl, tableName }: Target, organizationName: string): Promise<void> {
  const client = clientAt({});
  await client
    .send(
      new GetItemCommand({ TableName: tableName, Key: { pk: { S: warmUpKey.pk }, sk: { S: warmUpKey.sk } } }),
    )
    .catch((error: unknown) => {
      throw new LocalError(
        `The table ${tableName} cannot be read (${messageOf(error)}): check its name, AWS_PROFILE, AWS_REGION and what you may do there.`,
      );
    });
  const description = await statusOf(`${baseUrl}/openapi`);
  if (description !== 200)
    throw new LocalError(`${baseUrl}/openapi answers ${description}, not 200: check the address.`);

  const { code, token } = await foundOrganizationAt({ tableName }, { name: organizationName });
  const headers = { Authorization: `Bearer ${token}` };
  let status: number;
  try {
    status = await statusOf(`${baseUrl}/v1/leads`, headers);
  } finally {
    await verifyAndRemove({ client, tableName, system: realSystem }, code);
  }
  client.destroy();
  if (status === 401)
    throw new LocalError(`The API at ${baseUrl} works on another table than ${tableName}: check both.`);
  if (status !== 200) throw new LocalError(`${baseUrl}/v1/leads answers ${status}, not 200: see the log.`);
}

async function statusOf(url: string, headers: Record<string, string> = {}): Promise<number> {
  const answer = await fetch(url, { headers }).catch((error: unknown) => {
    const cause = error instanceof Error && error.cause ? error.cause : error;
    throw new LocalError(`Nothing answers at ${url} (${messageOf(cause)}): check the address.`);
  });
  // An answer that is not read would keep this process alive.
  await answer.arrayBuffer();
  return answer.status;
}
