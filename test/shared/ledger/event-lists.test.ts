import * as v from 'valibot';
import { beforeEach, expect, test } from 'vitest';
import { events, type Collection, type RecordRef } from '../../../shared/ledger/index.ts';
import { newOrganization, type TestOrganization } from '../../support/test-organization.ts';

const schema = v.object({ id: v.number() });
const deals = { name: 'DEAL', label: 'deal', schema, eventListIndex: 0 } as const satisfies Collection;
const people = { name: 'PERSON', label: 'person', schema, eventListIndex: 1 } as const satisfies Collection;
const teams = { name: 'TEAM', label: 'team', schema, eventListIndex: 4 } as const satisfies Collection;

const event = { event: 'TEST', data: 'A test', referenceId: '1' };
const query = { page: 1, limit: 50 };

let organization: TestOrganization;
let deal: RecordRef<typeof deals>;
let person: RecordRef<typeof people>;
let team: RecordRef<typeof teams>;
/** The third event: those of the founding come first. */
beforeEach(async () => {
  organization = await newOrganization();
  await open().write({}, (write) => {
    deal = write.append(deals, ({ number }) => ({ id: number })).ref;
    person = write.append(people, ({ number }) => ({ id: number })).ref;
    team = write.append(teams, ({ number }) => ({ id: number })).ref;
    write.event(event, [deal, person]);
  });
});

const open = () => organization.openLedger().ledger;
const idsOf = async (ref: RecordRef) => {
  const { items, totalCount, owner } = await open().eventsOf(ref, query);
  expect(totalCount).toBe(items.length);
  expect(owner).toEqual({ id: ref.number });
  return items.map(({ id }) => id);
};

test('an event is in the lists of all records that it names, also of those that the write adds', async () => {
  await open().write({ change: { deal, person, team } }, (write) => {
    write.event(event, [team]);
    write.event(event);
    write.event(event, [deal, person, team]);
  });
  expect(await idsOf(deal)).toEqual([6, 3]);
  expect(await idsOf(person)).toEqual([6, 3]);
  expect(await idsOf(team)).toEqual([6, 4]);
  const { items } = await open().page(events, query);
  expect(items.map(({ id }) => id)).toEqual([6, 5, 4, 3, 2, 1]);
});
