import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { afterAll, beforeEach, expect, inject, test } from 'vitest';
import { clientOf } from '../../../infra/local/engine.ts';
import { events, type Collection, type RecordRef } from '../../../shared/ledger/index.ts';
import { recordKey } from '../../../shared/ledger/internal/keys.ts';
import { engine, newOrganization, type TestOrganization } from '../../support/world.ts';

const schema = v.object({ id: v.number() });
const deals = { name: 'DEAL', label: 'deal', schema, eventListIndex: 0 } as const satisfies Collection;
const people = { name: 'PERSON', label: 'person', schema, eventListIndex: 1 } as const satisfies Collection;
const teams = { name: 'TEAM', label: 'team', schema, eventListIndex: 4 } as const satisfies Collection;
/** No events are listed for these. */
const papers = { name: 'PAPER', label: 'paper', schema } as const satisfies Collection;

const event = { event: 'TEST', data: 'A test', referenceId: '1' };
const query = { page: 1, limit: 50 };
const client = clientOf(engine);
const documents = DynamoDBDocumentClient.from(client);
afterAll(() => {
  client.destroy();
});

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

test('each position in an index costs a unit, and each record that owns the list is written', async () => {
  const { ledger, capacity } = organization.openLedger();
  await ledger.write({ change: { deal, person } }, (write) => {
    write.event(event, [deal, person]);
  });
  // Head, event, two places, deal, person.
  expect(capacity).toMatchObject({ calls: 4, readUnits: 3, writeUnits: 2 + 2 + 2 + 2 + 2 });
  const Key = recordKey(organization.code, 'EVENT', 4);
  const { Item } = await documents.send(
    new GetCommand({ TableName: inject('tableName'), Key, ConsistentRead: true }),
  );
  const start = `ORG#${organization.code}`;
  expect(Item).toMatchObject({
    gsi1pk: `${start}#DEAL#000000000001#EVENT#1`,
    gsi1sk: 2,
    gsi2pk: `${start}#PERSON#000000000001#EVENT#2`,
    gsi2sk: 2,
  });
  for (const index of [3, 4, 5, 6, 7, 8, 9]) expect(Item).not.toHaveProperty(`gsi${index}pk`);
});

test('an event can name only records that the write has read to change or added, and that have event lists', async () => {
  const telling = (of: RecordRef) =>
    open().write({}, (write) => {
      write.append(papers, ({ number }) => ({ id: number }));
      write.event(event, [of]);
    });
  await expect(telling(deal)).rejects.toThrow(
    'A list of EVENT#1 changes, and its DEAL was not read to change',
  );
  await expect(telling({ collection: papers, number: 1 })).rejects.toThrow(
    'The records of PAPER have no lists of events',
  );
  expect(await idsOf(deal)).toEqual([3]);
});
