import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { stageSettings } from '../../infra/stack/stages.ts';
import { hashToken } from '../../shared/domain/tokens/token.ts';
import { newConsumedCapacity } from '../../shared/ledger/index.ts';
import { dayCountKey } from '../../shared/ledger/internal/keys.ts';
import { clientAt } from './stored-organization.ts';
import { limits, newStore, tableAt, type TestOrganization } from './test-organization.ts';

/** Count of the inquiries that a key has added today. */
export async function keyCountOf({ code }: Pick<TestOrganization, 'code'>, key: string) {
  const store = newStore();
  const grant = await store.grantOf(hashToken(key), { ...limits(), capacity: newConsumedCapacity() });
  const { tableName: TableName } = tableAt();
  const client = clientAt(tableAt());
  const keyIn = (days = 0) => {
    const day = new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
    return dayCountKey(code, { kind: 'FORM', name: String(grant!.tokenId), day });
  };
  return {
    itemKey: keyIn,
    read: async () => (await client.send(new GetCommand({ TableName, Key: keyIn() }))).Item,
    /** Lets the key add one more today. Fills up tomorrow as well, in case the test runs at midnight. */
    leaveOne: async () => {
      const max = stageSettings.dev.formsPerKeyPerDay;
      for (const [days, times] of [max - 1, max].entries())
        await client.send(new PutCommand({ TableName, Item: { ...keyIn(days), times } }));
    },
  };
}
