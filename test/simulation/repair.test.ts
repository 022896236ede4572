import { marshall } from '@aws-sdk/util-dynamodb';
// Loaded before the first test: virtual time does not wait for the import that code makes during a request.
import '../../shared/domain/phone/numbering-plans.ts';
import { randomInt } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { repairAll } from '../../infra/admin/repair/repair-all.ts';
import { verifyOrganization } from '../support/verify-organization.ts';
import type { TableAccess } from '../../infra/admin/table/table-reads.ts';
import { seededRandom } from '../../infra/local/demo/seeded-random.ts';
import { Failure } from '../../shared/core/failure.ts';
import type { System } from '../../shared/core/system.ts';
import { createCompanyNote } from '../../shared/domain/companies/companies.ts';
import { createLead, deleteLead } from '../../shared/domain/leads/leads.ts';
import { createOrganization } from '../../shared/domain/organizations/found-organization.ts';
import { newConsumedCapacity, openStore, type Reach } from '../../shared/ledger/index.ts';
import { toItem, type Item } from '../../shared/ledger/internal/attributes.ts';
import { headKey, recordKey, uniqueKey, type Key } from '../../shared/ledger/internal/keys.ts';
import { fill } from '../support/filled-records.ts';
import { everyFault } from './behaviour.ts';
import { SimulatedDynamoDb } from './dynamodb.ts';
import { ledgerTable } from './simulated-table.ts';
import { VirtualTime } from './virtual-time.ts';

/** Conditions: transactions applied late, lagging indexes, and a network with faults. */
const behaviour = {
  lateApplyChance: 0.05,
  lateIndexChance: 0.03,
  faults: everyFault(0.01),
};
const owner = { firstName: 'Tess', lastName: 'Owner', email: 'tess@example.com' };
const token = { name: 'Test', mode: 'test', scopes: ['write'] } as const;

/** Creates an organization with a record of each kind on a simulated DynamoDB. */
async function newWorld(seed: number) {
  const time = new VirtualTime();
  const { random, randomBytes } = seededRandom(seed);
  const database = new SimulatedDynamoDb({ time, random, table: ledgerTable, behaviour });
  const sleep = (milliseconds: number) => time.sleep(milliseconds);
  const system: System = { now: () => time.now, random, randomBytes, sleep };
  const connect = (name: string) => database.connect({ name, dead: false });
  const limits = () => ({ deadline: time.now + 13_500, capacity: newConsumedCapacity() });
  const store = openStore(connect('writers'), ledgerTable.name, system);
  const input = { name: 'Test', country: 'AU', owner, token: { ...token, scopes: [...token.scopes] } };
  const founding = createOrganization(store, limits(), input, { random, randomBytes });
  const { code, ownerId, token: issued } = await time.run(founding);
  const ledger = (reach?: Reach) =>
    store.ledgerOf({ organization: code, userId: ownerId, ...limits(), ...(reach && { reach }) });
  const filling = fill({
    openLedger: ({ reach } = {}) => ({ ledger: ledger(reach), capacity: limits().capacity }),
  });
  const records = await time.run(filling);
  const edit = (key: Key, change: (item: Item) => Item | undefined) => {
    const item = change(toItem(database.item(key)!));
    if (item) database.edit.put(marshall(item));
    else database.edit.delete(key);
  };
  const access: TableAccess = { client: connect('repair'), tableName: ledgerTable.name, system };
  return { time, database, code, issued, records, ledger, edit, access };
}
type World = Awaited<ReturnType<typeof newWorld>>;

/** Writes until `isOver`, partly to damaged lists. Gives up a write that is not stored. */
async function write({ ledger, records }: World, writer: number, isOver: () => boolean): Promise<void> {
  for (let turn = 0; !isOver(); turn++) {
    const email = `w${writer}-${turn}@example.com`;
    try {
      await createCompanyNote(ledger(), records.companyId, { value: 'N', userId: records.userId });
      const { id } = await createLead(ledger(), { name: 'W', email });
      if (turn % 2 === 0) await deleteLead(ledger(), id);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
    }
  }
}

/** Damages derived data at one time while transactions are under way. */
function damage({ code, edit }: World): void {
  const at = (collection: string, number: number) => recordKey(code, collection, number);
  edit(uniqueKey(code, { kind: 'LEAD.email', folded: 'ann@example.com' }), () => undefined);
  edit(at('LEAD', 1), ({ lists, ...lead }) => ({ ...lead, unreadCalls: 9 }));
  edit(at('APPOINTMENT', 1), (one) => ({ ...one, gsi6sk: '2030\t000000000001' }));
  edit(at('PIPELINE', 1), (pipeline) => ({ ...pipeline, days: '1' }));
  edit(at('POLICY', 1), (policy) => ({ ...policy, revision: 10 ** 9 }));
  edit(at('TOKEN', 1), (one) => ({ ...one, scopes: ['read'] }));
  edit(at('NOTE', 1), ({ gsi1pk, gsi1sk, ...note }) => note);
  edit(at('NOTE', 2), (note) => ({ ...note, gsi1sk: 3 }));
  for (const number of [1, 2]) edit(at('INQUIRY', number), ({ gsi2pk, gsi2sk, ...inquiry }) => inquiry);
}

describe('an organization that is repaired during writes by eight writers', () => {
  test.each([randomInt(2 ** 31)])('verifies without findings in the end, with the seed %i', async (seed) => {
    const world = await newWorld(seed);
    const { time, database, access, code } = world;
    let isOver = false;
    const writing = Promise.all(Array.from({ length: 8 }, (_, writer) => write(world, writer, () => isOver)));
    const repairing = (async () => {
      while (Number(database.item(headKey(code))?.['version']?.N) < 150) await time.sleep(50);
      damage(world);
      return repairAll(access, code).finally(() => (isOver = true));
    })();
    await time.run(Promise.all([writing, repairing]));
    const { repaired, remaining: left } = await repairing;
    const kinds = new Set<string>(repaired.map(({ finding }) => finding.kind));
    // A concurrent transaction can overwrite the damage to the pipeline, and a record that is moved to its list can
    // take the missing rank.
    kinds.add('pipeline-days').add('list-wrong');
    expect(kinds).toEqual(
      new Set([
        'position-wrong',
        'list-wrong',
        'rank-wrong',
        'revision-ahead',
        'unique-not-held',
        'grant-wrong',
        'index-wrong',
        'lead-counts',
        'pipeline-days',
      ]),
    );
    expect(left.organizations[0]!.findings).toEqual([]);
    const after = await time.run(verifyOrganization(access, code));
    expect(after.findings).toEqual([]);
    expect(database.problems).toEqual([]);
  });
});
