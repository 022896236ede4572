import { expect, test } from 'vitest';
import { createLead } from '../../../shared/domain/leads/leads.ts';
import { faultyStore } from '../../support/store/faulty-store.ts';
import { recordedStore } from '../../support/store/recorded-store.ts';
import { newOrganization, tableAt } from '../../support/test-organization.ts';

const organization = await newOrganization();
for (const firstName of ['Ann', 'Bo', 'Cy'])
  await createLead(organization.openLedger().ledger, { firstName });
const { version } = await organization.openLedger().ledger.eventsAfter(0, 100);

/** Reads the last events while the first `times` queries lack the one before the last. */
async function readLacking(times: number) {
  let queries = 0;
  const { store } = faultyStore(
    () => 'pass',
    { sleep: () => Promise.resolve() },
    (name, output) => {
      if (name !== 'QueryCommand' || queries++ >= times) return output;
      const { Items } = output as { Items: { sk: { S: string } }[] };
      return { ...output, Items: Items.filter(({ sk }) => Number(sk.S) !== version - 1) };
    },
  );
  const { events } = await organization.openLedger({ store }).ledger.eventsAfter(version - 3, 10);
  return { ids: events.map(({ event }) => event.id), queries };
}

test('events of a transaction that is half applied are read again', async () => {
  expect(await readLacking(2)).toEqual({ ids: [version - 2, version - 1, version], queries: 3 });
});

test('at last no event is there that comes after a missing one', async () => {
  expect(await readLacking(Infinity)).toEqual({ ids: [version - 2], queries: 12 });
});

test('an event beyond the version that was read with it is left out', async () => {
  const { store } = faultyStore(
    () => 'pass',
    {},
    (name, output) => {
      if (name !== 'GetItemCommand') return output;
      const { Item } = output as { Item: object };
      return { ...output, Item: { ...Item, version: version - 1 } };
    },
  );
  const page = await organization.openLedger({ store }).ledger.eventsAfter(0, 100);
  expect(page).toMatchObject({ version: version - 1 });
  expect(page.events).toHaveLength(version - 1);
});

test('fifty events are read in one round trip, for a unit for the head and four for the events', async () => {
  const { ledger } = organization.openLedger();
  const after = version;
  for (let at = 0; at < 50; at++) await createLead(ledger, { firstName: `Lead ${at}` });
  const { store, roundTrips } = recordedStore(tableAt());
  const reader = organization.openLedger({ store });
  expect((await reader.ledger.eventsAfter(after, 50)).events).toHaveLength(50);
  expect([roundTrips(), reader.capacity.readUnits]).toEqual([1, 1 + 4]);
});
