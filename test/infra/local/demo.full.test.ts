import { QueryCommand } from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, test } from 'vitest';
import { ensureDemo } from '../../../infra/local/demo/demo.ts';
import { clientOf } from '../../../infra/local/engine.ts';
import { seededRandom } from '../../../infra/local/demo/seeded-random.ts';
import { welcome } from '../../../infra/local/terminal.ts';
import { listLeads } from '../../../shared/domain/leads/list-leads.ts';
import { getPipeline } from '../../../shared/domain/leads/pipeline.ts';
import { createOrganization } from '../../../shared/domain/organizations/found-organization.ts';
import { addNumber, removeNumber } from '../../../shared/domain/numbers/numbers.ts';
import { realSystem } from '../../../shared/core/system.ts';
import { hashToken } from '../../../shared/domain/tokens/token.ts';
import { revokeToken } from '../../../shared/domain/tokens/tokens.ts';
import { engine, limits, newPlainTable, newStore } from '../../support/test-organization.ts';
import { aroundCalls } from '../../support/store/around-calls.ts';

const start = {
  workers: [],
  baseUrl: 'http://localhost:3000',
  location: 'in .data',
  watch: false,
  containers: '',
};

let tableName: string;
beforeEach(async () => {
  tableName = await newPlainTable();
});

/** Starts the demo, interrupted after so many writes if given. Returns the number of writes. */
async function startDemo(most = Infinity) {
  let writes = 0;
  const client = clientOf(engine);
  aroundCalls(client, (operation, send) => {
    if (operation === 'TransactWriteItems' && ++writes > most) throw new Error('Interrupted');
    return send();
  });
  const access = await ensureDemo({ client, tableName });
  return { access, writes };
}

/** The token's organization, and its ledger. */
async function openBy(token: string) {
  const store = newStore({}, tableName);
  const { organization, userId } = (await store.grantOf(hashToken(token), limits()))!;
  return { organization, ledger: store.ledgerOf({ organization, userId, ...limits() }) };
}

/** Pipeline of the token's organization at a given time. */
const pipelineOf = async (token: string, at: string) =>
  getPipeline((await openBy(token)).ledger, Date.parse(at));

/** The token's organization, and its number of leads. */
async function foundBy(token: string) {
  const { organization, ledger } = await openBy(token);
  return { organization, leads: (await listLeads(ledger, { page: 1, limit: 1 })).totalCount };
}

async function countOf(organization: string, collection: string): Promise<number | undefined> {
  const command = new QueryCommand({
    TableName: tableName,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': { S: `ORG#${organization}#${collection}` } },
  });
  return (await clientOf(engine).send(command)).Count;
}

describe('the demo', () => {
  test('has the same ids on every machine, and is made once', async () => {
    const { access } = await startDemo();
    expect(await Promise.all(access.map(({ token }) => foundBy(token)))).toEqual([
      { organization: '6H8EV880', leads: 9 },
      { organization: expect.stringMatching(/^\w{8}$/) as unknown, leads: 2 },
    ]);
    const { statuses, days } = await pipelineOf(access[0]!.token, '2026-11-05T23:00+11:00');
    expect(statuses).toEqual({ pending: 2, active: 2, quoted: 2, won: 1, lost: 1, archived: 1 });
    expect(days.slice(0, 3)).toMatchObject([
      { date: '2026-11-05', created: 1, moved: { quoted: 1, lost: 1 } },
      { date: '2026-11-04', created: 4, moved: { active: 1, won: 1, archived: 1 } },
      { date: '2026-11-03', created: 4, moved: { quoted: 2, active: 1 } },
    ]);
    expect(await countOf('6H8EV880', 'FAQ')).toBe(3);
    expect(welcome({ ...start, demo: access })).not.toContain('interrupted');

    expect(await startDemo()).toEqual({ access, writes: 0 });
  });

  test.for([
    ['once founded', 1],
    ['half-way', 40],
  ] as const)('is made anew, and says so, after a start that was interrupted %s', async ([, writes]) => {
    await expect(startDemo(writes)).rejects.toThrow('Interrupted');
    const { access } = await startDemo();
    const [ours] = await Promise.all(access.map(({ token }) => foundBy(token)));
    expect(ours).toMatchObject({ leads: 9 });
    expect(ours!.organization).not.toBe('6H8EV880');

    const printed = welcome({ ...start, demo: access });
    expect(printed).toContain('A start was interrupted while it filled Harbour Plumbing;');
    expect(printed).not.toContain('filled Summit Electrical');
    expect(await startDemo()).toEqual({ access, writes: 0 });
  });

  test('continues with the second organization after a start that was interrupted before it', async () => {
    const { writes } = await startDemo();
    tableName = await newPlainTable();
    await expect(startDemo(writes - 6)).rejects.toThrow('Interrupted');
    const again = await startDemo();
    expect(again.writes).toBe(6);
    expect(again.access.map(({ isSecondTry }) => isSecondTry)).toEqual([false, false]);
  });

  test('leaves an existing organization as it is, and numbers that others have', async () => {
    const store = newStore({}, tableName);
    const input = {
      name: 'Harbour Plumbing',
      country: 'AU',
      owner: { firstName: 'Mia', lastName: 'Tran', email: 'mia@harbourplumbing.example' },
      token: { name: 'Demo', mode: 'test', scopes: ['read', 'write'] },
    } as const;
    const seeded = { random: seededRandom(100).random, randomBytes: seededRandom(1).randomBytes };
    const { code } = await createOrganization(store, limits(), input, seeded);
    const other = await createOrganization(store, limits(), input, realSystem);
    const ledger = store.ledgerOf({ organization: other.code, userId: other.ownerId, ...limits() });
    await addNumber(ledger, { number: '+61491572983', arn: 'arn' });
    const { access } = await startDemo();
    expect(await foundBy(access[0]!.token)).toEqual({ organization: code, leads: 0 });
    expect(access[0]!.isSecondTry).toBe(false);
    // The missing number and key are added, unless another organization has the number.
    expect(access.map(({ channels }) => [channels.number, channels.keyState])).toEqual([
      ['+61491570737', 'active'],
      [undefined, 'active'],
    ]);
  });

  test('has a number and a key for forms; a removed number and a revoked key stay so, and the start says so', async () => {
    const [{ token, channels }] = (await startDemo()).access as unknown as [
      { token: string; channels: { number: string; key: string } },
    ];
    expect(channels).toMatchObject({ number: '+61491570737', keyState: 'active' });
    const { organization, ledger } = await openBy(token);
    const store = newStore({}, tableName);
    expect(await store.organizationOfPhoneNumber(channels.number, limits())).toBe(organization);
    expect(await store.grantOf(hashToken(channels.key), limits())).toMatchObject({
      organization,
      scopes: ['forms:submit'],
      sites: ['http://localhost:*', 'http://127.0.0.1:*'],
    });

    await removeNumber(ledger, channels.number);
    for (const id of [1, 2]) await revokeToken(ledger, id);
    const { access, writes } = await startDemo();
    expect(writes).toBe(0);
    expect(access.map(({ state, isSecondTry }) => ({ state, isSecondTry }))).toEqual([
      { state: 'revoked', isSecondTry: false },
      { state: 'active', isSecondTry: false },
    ]);
    expect(access[0]!.channels).toEqual({ number: undefined, key: channels.key, keyState: 'revoked' });
    expect(await store.grantOf(hashToken(token), limits())).toBeUndefined();
    const printed = welcome({ ...start, demo: access });
    expect(printed).toContain(`${token} (revoked)\n`);
    expect(printed).toContain(`Harbour Plumbing   no number     key=${channels.key} (revoked)\n`);
    // The number's SMS go to the organization that still has the number.
    expect(printed).toContain('-d to=+61491572983');
    expect(printed).toContain(`submissions?key=${access[1]!.channels.key}'`);

    // Another number that a user has given the organization serves as well.
    await addNumber((await openBy(access[1]!.token)).ledger, { number: '+61491570999', arn: 'arn' });
    await removeNumber((await openBy(access[1]!.token)).ledger, '+61491572983');
    expect((await startDemo()).access.map((one) => one.channels.number)).toEqual([undefined, '+61491570999']);
  });
});
