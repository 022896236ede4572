import { ownersScopes } from '../../../shared/domain/tokens/tokens.ts';
import {
  TransactionCanceledException,
  type TransactWriteItem,
  type TransactWriteItemsCommandInput,
} from '@aws-sdk/client-dynamodb';
import { DeleteCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import * as v from 'valibot';
import { beforeEach, describe, expect, test } from 'vitest';
import { clientOf } from '../../../infra/local/engine.ts';
import { leads } from '../../../shared/domain/leads/lead-record.ts';
import { createLead, deleteLead, getLead, listLeadActivities } from '../../../shared/domain/leads/leads.ts';
import { listLeads } from '../../../shared/domain/leads/list-leads.ts';
import { events } from '../../../shared/ledger/internal/collection.ts';
import { clientConfig } from '../../../shared/ledger/internal/client-config.ts';
import type { RecordRef } from '../../../shared/ledger/index.ts';
import { parseHead, type Head } from '../../../shared/ledger/internal/head.ts';
import {
  duePartition,
  headKey,
  recordKey,
  shardOf,
  uniqueKey,
} from '../../../shared/ledger/internal/keys.ts';
import { realSystem } from '../../../shared/core/system.ts';
import { openStore } from '../../../shared/ledger/internal/store.ts';
import { addCategory, categories } from '../../../shared/domain/categories/categories.ts';
import { createOrganization } from '../../../shared/domain/organizations/found-organization.ts';
import { createPolicy, policies, updatePolicy } from '../../../shared/domain/policies/policies.ts';
import { createProduct, updateProduct } from '../../../shared/domain/products/products.ts';
import { hashToken } from '../../../shared/domain/tokens/token.ts';
import type { Write } from '../../../shared/ledger/internal/write.ts';
import { cancelled, faults } from '../../support/store/faults.ts';
import { faultyStore, inOrder, type Fault } from '../../support/store/faulty-store.ts';
import { recordedStore } from '../../support/store/recorded-store.ts';
import {
  limits,
  newOrganization,
  newStore,
  tableAt,
  type TestOrganization,
} from '../../support/test-organization.ts';
import { notFound, type Failure } from '../../../shared/core/failure.ts';
import { documents, itemAt, TableName } from './items-of-table.ts';
import { addLeads } from './many-leads.ts';
import { stoppedClock } from '../../support/stopped-clock.ts';

let organization: TestOrganization;
beforeEach(async () => {
  organization = await newOrganization();
});
const open = () => organization.openLedger().ledger;

const page = { page: 1, limit: 100 };
const event = { event: 'TEST', data: 'A test', referenceId: '1' };
const transact = 'TransactWriteItemsCommand';
/** Reads of a write that adds a lead: the head and the pipeline. */
const reads = ['GetItemCommand', 'GetItemCommand'];

const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => {
      throw new Error('It did not fail');
    },
    (failure: unknown) => failure as Failure,
  );

test('each further write of a ledger is one call; another ledger remembers nothing', async () => {
  const store = newStore();
  const { ledger, capacity } = organization.openLedger({ store });
  const other = organization.openLedger({ store });
  for (const calls of [3, 4, 5]) {
    await createLead(ledger, { name: 'Ann' });
    expect(capacity.calls).toBe(calls);
  }
  await createLead(other.ledger, { name: 'Bob' });
  expect(other.capacity).toMatchObject({ calls: 3, transactions: 1, writes: 1 });
});

describe('when DynamoDB fails', () => {
  const lost = { reset: faults.reset, timeout: faults.timeout, serverError: faults.serverError };
  const refusals = {
    throttled: faults.throttled,
    throttledBeside: faults.throttledBeside,
    throttledHead: faults.throttledHead,
    conflictBeside: faults.conflictBeside,
  };

  /** Creates a lead while transactions fail in this way, the last fault again and again if it is endless. */
  async function create(list: Fault[], isEndless = false) {
    const { system } = stoppedClock();
    const waits: number[] = [];
    const sleep = (milliseconds: number) => {
      waits.push(milliseconds);
      return system.sleep(milliseconds);
    };
    const nextFault = () => (isEndless && list.length === 1 ? list[0] : list.shift()) ?? 'pass';
    const decide = (name: string): Fault => (name === transact ? nextFault() : 'pass');
    const { store, commands } = faultyStore(decide, { ...system, sleep });
    const { ledger } = organization.openLedger({ store, milliseconds: 5000 });
    const made = createLead(ledger, { name: 'Ann', email: 'ann@example.com' });
    const outcome = await made.catch((error: unknown) => error);
    const stored = (await listLeads(open(), page)).items;
    // Two events are of the founding.
    expect((await open().page(events, page)).totalCount).toBe(2 + stored.length);
    return { outcome, waits, stored, tries: commands.filter((name) => name === transact).length };
  }

  test.each(Object.entries({ ...lost, ...refusals }))(
    'a write is tried again, and stored once: %s',
    async (_, error) => {
      const { outcome, stored, tries, waits } = await create([{ before: error }, { before: error }]);
      expect({ tries, waits, stored }).toEqual({ tries: 3, waits: [10, 20], stored: [outcome] });
    },
  );

  test.each(Object.entries(lost))('a write is stored once if its replies are lost: %s', async (_, error) => {
    const { outcome, stored } = await create([{ after: error }, { after: error }]);
    expect(stored).toEqual([outcome]);
  });

  test.each(Object.entries(refusals))(
    'a write is unavailable at its deadline, with nothing written: %s',
    async (_, error) => {
      const { outcome, stored, tries } = await create([{ before: error }], true);
      expect(outcome).toMatchObject({ kind: 'unavailable', extras: { retryAfter: 1 } });
      expect(tries).toBeGreaterThan(8);
      expect(stored).toEqual([]);
    },
  );

  test.each<[string, Fault[], boolean?]>([
    ['no more replies', [{ after: faults.reset }], true],
    ['refusals', [{ after: faults.reset }, { before: faults.throttled }], true],
    ['a fatal error', [{ after: faults.reset }, { before: faults.denied }]],
  ])('a lost reply and then %s are an unknown outcome', async (_, list, isEndless) => {
    const { outcome, stored } = await create(list, isEndless);
    const message = expect.stringContaining('not known') as string;
    expect(outcome).toMatchObject({ kind: 'internal', message });
    expect(stored).toHaveLength(1);
  });

  test('a settled read waits while a transaction holds its item', async () => {
    const lead = await createLead(open(), { name: 'Ann' });
    const waits: number[] = [];
    const sleep = (milliseconds: number) => Promise.resolve(void waits.push(milliseconds));
    const decide = inOrder(
      'TransactGetItemsCommand',
      { before: faults.conflict },
      { before: faults.conflict },
    );
    const { ledger } = organization.openLedger({ store: faultyStore(decide, { sleep }).store });
    expect(await ledger.getSettled(ledger.ref(leads, lead.id))).toMatchObject({ id: lead.id });
    expect(waits).toHaveLength(2);
  });

  test('a lost reply and then a refusal: the write is stored once', async () => {
    const { outcome, stored, tries } = await create([{ after: faults.reset }, { before: faults.throttled }]);
    expect({ stored, tries }).toEqual({ stored: [outcome], tries: 3 });
  });

  test.each(['denied', 'mixed'] as const)('a fatal error is thrown at once: %s', async (name) => {
    const { outcome, tries } = await create([{ before: faults[name] }]);
    expect(outcome).toBe(faults[name]);
    expect(tries).toBe(1);
  });

  test.each(['ThrottlingError', 'TransactionConflict'])(
    'a value that is taken is no refusal while the head answers with %s: the write begins again',
    async (code) => {
      let tries = 0;
      const { store } = recordedStore(tableAt(), {}, (command, input, send) => {
        if (command !== transact || tries++ > 0) return send();
        const { TransactItems = [] } = input as TransactWriteItemsCommandInput;
        const isClaim = ({ Put }: TransactWriteItem) => Put?.Item?.['pk']?.S?.endsWith('#UNIQUE');
        const [, ...others] = TransactItems.map((one) => (isClaim(one) ? 'ConditionalCheckFailed' : 'None'));
        return Promise.reject(cancelled(code, ...others));
      });
      const { ledger } = organization.openLedger({ store });
      expect(await createLead(ledger, { name: 'Ann', email: 'ann@example.com' })).toMatchObject({
        email: 'ann@example.com',
      });
    },
  );

  test('after a collision on the head a writer takes a number, and reads the head again', async () => {
    const { store, commands } = faultyStore(
      inOrder(transact, { before: faults.conflict }),
      stoppedClock().system,
    );
    await createLead(organization.openLedger({ store }).ledger, { name: 'Ann' });
    expect(commands.slice(0, 4)).toEqual([...reads, transact, 'UpdateItemCommand']);
    expect(commands.at(-1)).toBe(transact);
    expect(new Set(commands.slice(4, -1))).toEqual(new Set(['GetItemCommand']));
  });

  test('a conflict on another item is tried again as it is, without a number', async () => {
    const { store, commands } = faultyStore(inOrder(transact, { before: faults.conflictBeside }), {
      sleep: () => Promise.resolve(),
    });
    const { ledger, capacity } = organization.openLedger({ store });
    await createLead(ledger, { name: 'Ann' });
    expect(commands).toEqual([...reads, transact, transact]);
    expect(capacity).toMatchObject({ transactions: 2, writes: 1 });
  });

  test('if a snapshot meets a transaction, the head is read alone, and the records to check after it', async () => {
    const { store, commands } = faultyStore(inOrder('TransactGetItemsCommand', { before: faults.conflict }));
    const { ledger } = organization.openLedger({ store });
    await ledger.write({ check: { category: { collection: categories, number: 1 } } }, (write) => {
      write.event(event);
    });
    expect(commands).toEqual([
      'TransactGetItemsCommand',
      'GetItemCommand',
      'TransactGetItemsCommand',
      transact,
    ]);
  });

  // First as when the same change was stored just now, and is not applied to the record yet.
  test.each([
    ['by the record itself', ['TransactionConflict', 'None', 'None', 'None'], undefined],
    ['by another, and the record was old', ['None', 'ConditionalCheckFailed', 'None', 'None'], '99'],
  ])('a value that is held %s is no conflict', async (_, codes, holder) => {
    const { id } = await createProduct(open(), { name: 'Tap', tradeCategoryId: 2, pricingType: 'NONE' });
    const held = { Code: 'ConditionalCheckFailed', Item: { id: { N: holder ?? String(id) } } };
    const CancellationReasons = [...codes.map((Code) => ({ Code })), held];
    const refusal = new TransactionCanceledException({
      message: 'Cancelled',
      $metadata: {},
      CancellationReasons,
    });
    const { store } = faultyStore(inOrder(transact, { before: refusal }));
    const renamed = await updateProduct(organization.openLedger({ store }).ledger, id, { name: 'Sink' });
    expect(renamed).toMatchObject({ id, name: 'Sink' });
  });

  test('a record that a plain read does not show yet is found by a serializable read', async () => {
    const { id } = await createLead(open(), { name: 'Ann' });
    const { store, commands } = faultyStore(
      () => 'pass',
      {},
      (name, output) => (name === 'GetItemCommand' ? { ...output, Item: undefined } : output),
    );
    expect(await getLead(organization.openLedger({ store }).ledger, id)).toMatchObject({ id });
    expect(commands).toEqual(['GetItemCommand', 'TransactGetItemsCommand']);
  });

  test('a hot record is read again while the head has a newer revision', async () => {
    const waits: number[] = [];
    let [old, times]: [object | undefined, number] = [undefined, 0];
    const { store, commands } = faultyStore(
      () => 'pass',
      { sleep: (milliseconds) => Promise.resolve(void waits.push(milliseconds)) },
      (_, output) => {
        const { Item } = output as { Item?: { pk: { S: string } } };
        if (!JSON.stringify(Item?.pk ?? '').includes('#PIPELINE')) return output;
        old ??= output;
        return times-- > 0 ? old : output;
      },
    );
    await createLead(organization.openLedger({ store }).ledger, { name: 'Ann' });
    await createLead(open(), { name: 'Bo' });
    commands.length = 0;
    times = 3;
    await createLead(organization.openLedger({ store }).ledger, { name: 'Cy' });
    expect(commands).toEqual([...reads, 'GetItemCommand', 'GetItemCommand', 'GetItemCommand', transact]);
    expect(waits).toEqual([1, 2]);
    // A record that stays behind the head is used all the same, and the write puts the head right.
    await update(headKey(organization.code), 'SET revisions = :revisions', {
      revisions: { PIPELINE: 10 ** 6 },
    });
    await createLead(organization.openLedger({ store }).ledger, { name: 'Di' });
    expect(waits).toEqual([1, 2, 1, 2, 4, 8, 16, 32]);
    const { revisions, version } = await readHead();
    expect(revisions).toEqual({ PIPELINE: version });
  });

  test('a call without an answer is cut off soon after the deadline', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const client = clientOf({ endpoint: `http://127.0.0.1:${port}` }, clientConfig);
    const { ledger } = organization.openLedger({
      store: openStore(client, 'Table', realSystem),
      milliseconds: 50,
    });
    expect(await failureOf(getLead(ledger, `lead_${organization.code}00000001`))).toMatchObject({
      kind: 'unavailable',
    });
    client.destroy();
    silent.close();
  });

  test('reads are tried again, then unavailable', async () => {
    const { id } = await createLead(open(), { name: 'Ann' });
    const { system } = stoppedClock();
    const twice = faultyStore(
      inOrder('GetItemCommand', { before: faults.reset }, { before: faults.throttled }),
      system,
    );
    expect(await getLead(organization.openLedger({ store: twice.store }).ledger, id)).toMatchObject({ id });
    expect(twice.commands).toHaveLength(3);
    const { store } = faultyStore(() => ({ before: faults.timeout }), system);
    for (const act of [getLead, deleteLead]) {
      const { ledger } = organization.openLedger({ store, milliseconds: 1000 });
      const cause = { name: 'TimeoutError' };
      expect(await failureOf(act(ledger, id))).toMatchObject({ kind: 'unavailable', extras: { cause } });
    }
  });
});

describe('a page of an index that lags', () => {
  /** Reads a page of a lead's activities while each query lacks the member at this place. */
  async function pageLacking(missing: (query: number) => number | 'all' | undefined) {
    const { id } = await createLead(open(), { name: 'Ann' });
    const ref = open().ref(leads, id);
    await open().write({ change: { ref } }, (write) => {
      for (const data of ['2', '3', '4', '5']) write.event({ ...event, event: 'LEAD_UPDATED', data }, [ref]);
    });
    const asked: unknown[] = [];
    const { store } = faultyStore(
      () => 'pass',
      { sleep: () => Promise.resolve() },
      (name, output, input) => {
        if (name !== 'QueryCommand') return output;
        const lacks = missing(asked.push(input) - 1);
        const { Items } = output as { Items: object[] };
        return { ...output, Items: Items.filter((_, each) => lacks !== 'all' && each !== lacks) };
      },
    );
    const { ledger } = organization.openLedger({ store });
    const { items, totalCount } = await listLeadActivities(ledger, id, { page: 2, limit: 2 });
    return { items: items.map(({ data }) => data), totalCount, asked };
  }

  test('is read again by its ranks, so that an older member never stands in for a missing one', async () => {
    const { items, asked } = await pageLacking((query) => [0, 1][query]);
    expect(items).toEqual(['3', '2']);
    expect(asked).toHaveLength(3);
    const ranks = { ':from': { N: '3' }, ':to': { N: '2' } };
    for (const input of asked) expect(input).toMatchObject({ ExpressionAttributeValues: ranks });
  });

  test('is shown as far as the index has it, if the index stays behind', async () => {
    expect(await pageLacking(() => 'all')).toMatchObject({ items: [], totalCount: 5 });
  });
});

describe('one write', () => {
  test('may not give one value to two records', async () => {
    const both = addLeads(open(), [
      { name: 'Ann', email: 'ann@example.com' },
      { name: 'Bob', email: 'ANN@example.com' },
    ]);
    expect(await failureOf(both)).toMatchObject({ kind: 'conflict', message: 'Another lead has this email' });
    expect((await listLeads(open(), page)).totalCount).toBe(0);
  });

  test.each([
    ['change the case of a value, which stays taken', '1A', 'ab'],
    ['move a value from one record to another', '1c 2a', 'ca'],
    ['ask for a value before it is given up', '2a 1c', 'ca'],
    ['claim a value and release it again', '1c 1d 1a', 'ab'],
  ])('may %s', async (_, changes, held) => {
    await addLeads(open(), [{ email: 'a@example.com' }, { email: 'b@example.com' }]);
    const refs = [1, 2].map((number) => ({ collection: leads, number }));
    const [first, ref] = refs as [RecordRef<typeof leads>, RecordRef<typeof leads>];
    const second = { ref, mayBeAbsent: true, mayStayUnchanged: true } as const;
    await open().write({ change: { first, second } }, (write) => {
      for (const [number, name] of changes.split(' ')) {
        const changed = refs[Number(number) - 1]!;
        write.replace(changed, { ...write.current(changed)!, email: `${name}@example.com` });
      }
      write.event(event);
    });
    for (const name of 'abcd') {
      const email = { field: 'email', value: `${name}@example.com` };
      const holder = refs[held.indexOf(name)];
      const id = holder && open().idOf(leads, holder.number);
      expect((await open().findByUnique(leads, email))?.id, name).toBe(id);
    }
  });

  test('has an event, and no more items than a transaction takes', async () => {
    const { ledger } = organization.openLedger();
    const silent = ledger.write({}, (write) => addCategory(write, { name: 'Gas', type: 'SERVICE' }));
    await expect(silent).rejects.toThrow('A write without an event');
    const many = Array.from({ length: 50 }, (_, at) => ({ name: `Lead ${at}` }));
    await expect(addLeads(ledger, many)).rejects.toThrow('A write of more than 100 items');
  });

  test('that changes nothing stores nothing', async () => {
    const { ledger, capacity } = organization.openLedger();
    expect(await ledger.write({}, () => 'result')).toBe('result');
    expect(capacity).toMatchObject({ calls: 1, writeUnits: 0 });
  });

  test('replaces only what it has read', async () => {
    const blind = open().write({}, (write) => {
      const stamps = { createdAt: write.now, updatedAt: write.now };
      const record = { id: 1, name: 'Gas', type: 'SERVICE' as const, ...stamps };
      write.replace({ collection: categories, number: 1 }, record);
    });
    await expect(blind).rejects.toThrow('has not read');
  });

  test('that fails on the cached head is built again on the newest', async () => {
    const { ledger } = organization.openLedger();
    await createLead(ledger, { name: 'Ann' });
    await createLead(open(), { name: 'Bob' });
    const counts: number[] = [];
    const refused = ledger.write({}, (write) => {
      counts.push(write.count(leads));
      throw notFound('thing');
    });
    expect(await failureOf(refused)).toMatchObject({ kind: 'notFound' });
    expect(counts).toEqual([1, 2]);
  });

  test('on a cached head that is old is retried at once on the newest', async () => {
    const { store, commands } = faultyStore(() => 'pass');
    const { ledger } = organization.openLedger({ store });
    await createLead(ledger, { name: 'Ann' });
    await createLead(open(), { name: 'Bob' });
    commands.length = 0;
    await createLead(ledger, { name: 'Cleo' });
    // The refusal brings the head, and the pipeline has changed with it.
    expect(commands).toEqual(['TransactWriteItemsCommand', 'GetItemCommand', 'TransactWriteItemsCommand']);
  });

  test('must change every record that it has read to change', async () => {
    const category = { collection: categories, number: 1 };
    const careless = open().write({ change: { category } }, (write) => {
      write.event(event);
    });
    await expect(careless).rejects.toThrow('was read to change and is not: read it as a check');
  });
});

describe('the transaction checks everything that a write relies on', () => {
  const put = (Item: object) => documents.send(new PutCommand({ TableName, Item }));

  test.each<[string, (key: object) => UpdateCommand | DeleteCommand, string | undefined]>([
    [
      'has the revision that was read, although the head has not moved',
      (key) =>
        new UpdateCommand({
          TableName,
          Key: { ...key },
          UpdateExpression: 'SET title = :title, revision = :revision',
          ExpressionAttributeValues: { ':title': 'Late', ':revision': 2 },
        }),
      'Late',
    ],
    ['is still there', (key) => new DeleteCommand({ TableName, Key: { ...key } }), undefined],
  ])('a record that it replaces %s', async (_, change, late) => {
    const { id } = await createPolicy(open(), { title: 'Cancelling', content: 'A day before' });
    const ref = { collection: policies, number: id };
    const key = recordKey(organization.code, 'POLICY', id);
    const { store, commands } = faultyStore(() => 'pass');
    const seen: unknown[] = [];
    await organization
      .openLedger({ store })
      .ledger.write({ change: { policy: { ref, mayBeAbsent: true } } }, async (write, { policy }) => {
        // Somebody changes it between the read and the transaction.
        if (seen.push(policy?.title) === 1) await documents.send(change(key) as UpdateCommand);
        if (!policy) return;
        write.replace(ref, { ...policy, content: `After ${policy.title}` });
        write.event(event);
      });
    expect(seen).toEqual(['Cancelling', late]);
    // Nobody else writes, so it needs no number.
    expect(commands).not.toContain('UpdateItemCommand');
    expect((await itemAt(key))?.['content']).toBe(late && `After ${late}`);
  });

  /** The error for stored data that contradicts itself. The error names the command to run. */
  const inconsistent = {
    name: 'Inconsistent',
    message: expect.stringContaining('run "npm run admin -- organization verify"') as string,
  };

  test('a record that it adds is new', async () => {
    const key = recordKey(organization.code, 'POLICY', 1);
    await put({ ...key, revision: 1, title: 'There' });
    const waits: number[] = [];
    const sleep = (milliseconds: number) => Promise.resolve(void waits.push(milliseconds));
    const { store } = faultyStore(() => 'pass', { sleep, random: () => 1 });
    const adding = createPolicy(organization.openLedger({ store }).ledger, { title: 'New', content: 'New' });
    expect(await failureOf(adding)).toMatchObject(inconsistent);
    // The first retry is at once: most often, the other transaction has just ended.
    expect(waits).toEqual([10, 20, 40, 80]);
    expect(await itemAt(key)).toMatchObject({ title: 'There' });
  });

  test('a value that it gives up is held by the record that gives it up', async () => {
    const { id } = await createLead(open(), { email: 'ann@example.com' });
    const key = uniqueKey(organization.code, { kind: 'LEAD.email', folded: 'ann@example.com' });
    await put({ ...key, id: 'lead_of_another' });
    expect(await failureOf(deleteLead(open(), id))).toMatchObject(inconsistent);
    expect(await getLead(open(), id)).toMatchObject({ id });
  });

  test('a grant that it makes is new, and one that it changes is still there', async () => {
    const grant = { tokenId: 1, userId: organization.userId, scopes: ['read'], sites: [], expiresAt: null };
    const writing = (act: (write: Write) => void) =>
      open().write({}, (write) => {
        act(write);
        write.event(event);
      });
    const known = hashToken(organization.token);
    const scopes = async () => (await newStore().grantOf(known, limits()))?.scopes;
    const adding = writing((write) => {
      write.addGrant(known, grant);
    });
    expect(await failureOf(adding)).toMatchObject(inconsistent);
    const changing = writing((write) => {
      write.replaceGrant('f'.repeat(64), grant);
    });
    expect(await failureOf(changing)).toMatchObject(inconsistent);
    expect(await scopes()).toEqual(ownersScopes);
    await writing((write) => {
      write.replaceGrant(known, grant);
    });
    expect(await scopes()).toEqual(['read']);
  });
});

/** Changes a stored item by an expression with these values. */
const update = (key: object, UpdateExpression: string, values: object = {}) =>
  documents.send(
    new UpdateCommand({
      TableName,
      Key: { ...key },
      UpdateExpression,
      ...(Object.keys(values).length > 0 && {
        ExpressionAttributeValues: Object.fromEntries(
          Object.entries(values).map(([name, value]) => [`:${name}`, value as unknown]),
        ),
      }),
    }),
  );

test('a record of another form is refused with a message that says what to do', async () => {
  const { id } = await createLead(open(), { name: 'Ann' });
  await update(recordKey(organization.code, 'LEAD', 1), 'REMOVE revision');
  const sentence =
    /stored in format 1, and this version reads format 4 alone: run the version that stored it/;
  await expect(listLeads(open(), page)).rejects.toThrow(sentence);
  await expect(deleteLead(open(), id)).rejects.toThrow(sentence);
});

describe('of a newer version of the code', () => {
  test('attributes and lists stay in the head', async () => {
    const key = headKey(organization.code);
    const { id } = await createLead(open(), { name: 'Ann' });
    const { lists } = (await itemAt(key))!;
    const more = { ...(lists as object), 'LATER#1#some': '7-2~Bg' };
    await update(key, 'SET later = :later, lists = :lists', { later: 'kept', lists: more });
    await deleteLead(open(), id);
    const kept = { L: '1-1~AQ', 'LATER#1#some': '7-2~Bg' };
    expect(await itemAt(key)).toMatchObject({ later: 'kept', lists: kept });
  });

  test('attributes stay in a record that this one changes', async () => {
    const { id } = await createPolicy(open(), { title: 'Cancelling', content: 'A day before' });
    const key = recordKey(organization.code, 'POLICY', id);
    // Policies are in lists by their state, own none and wait for no worker, as far as this version knows.
    const later = {
      later: 'kept',
      gsi2pk: `${key.pk}#2`,
      gsi2sk: 7,
      gsi5pk: `${key.pk}#5`,
      gsi5sk: 8,
      gsi6pk: `${key.pk}#6`,
      gsi6sk: 'cancelling',
      gsi9pk: duePartition('later', shardOf(organization.code)),
      gsi9sk: '2026',
      lists: { 'LATER#1': '7-2~Bg' },
    };
    const names = Object.keys(later).map((name) => `${name} = :${name}`);
    await update(key, `SET ${names.join(', ')}`, later);
    await updatePolicy(open(), id, { isActive: false });
    expect(await itemAt(key)).toMatchObject({ ...later, isActive: false });
  });
});

test('a write that lost the race takes a number, and continues with the winner’s head and newly read records', async () => {
  const { id } = await createPolicy(open(), { title: 'Cancelling', content: 'A day before' });
  let tries = 0;
  const { store, commands } = faultyStore(() => 'pass');
  const { ledger: late } = organization.openLedger({ store });
  const ref = late.ref(policies, id);
  await late.write({ change: { policy: ref } }, async (write, { policy }) => {
    if (tries++ === 0) await createPolicy(open(), { title: 'B', content: 'C' });
    write.replace(ref, { ...policy, content: 'Changed' });
    write.event(event);
  });
  // The head came with the refusal.
  const again = ['UpdateItemCommand', 'GetItemCommand', transact];
  expect(commands).toEqual(['GetItemCommand', 'GetItemCommand', transact, ...again]);
  expect((await readHead()).queue).toMatchObject({ served: 1, waiting: 0 });
});

const readHead = async (): Promise<Head> => parseHead(await itemAt(headKey(organization.code)));

test('the head has the revision of a hot record until it is removed', async () => {
  const papers = {
    name: 'PAPER',
    label: 'paper',
    schema: v.object({ id: v.number() }),
    hasHotRecord: true,
  } as const;
  const { PIPELINE } = (await readHead()).revisions!;
  const ref = await open().write({}, (write) => {
    write.event(event);
    write.event(event);
    return write.append(papers, ({ number }) => ({ id: number })).ref;
  });
  const { version } = await readHead();
  await createPolicy(open(), { title: 'Cancelling', content: 'A day before' });
  expect((await readHead()).revisions).toEqual({ PIPELINE, PAPER: version });
  await open().write({ change: { ref } }, (write) => {
    write.event(event);
    write.remove(ref);
  });
  expect((await readHead()).revisions).toEqual({ PIPELINE });
});

test('a page of more than 1 MB is complete', async () => {
  const socials = Object.fromEntries(
    Array.from({ length: 20 }, (_, at) => [`${'n'.repeat(48)}${at + 10}`, 'x'.repeat(500)]),
  );
  for (let some = 0; some < 5; some++) await addLeads(open(), Array(20).fill({ name: 'Lead', socials }));
  const { ledger, capacity } = organization.openLedger();
  const numbers = (await listLeads(ledger, page)).items.map(({ id }) => ledger.ref(leads, id).number);
  expect(numbers).toEqual(Array.from({ length: 100 }, (_, at) => 100 - at));
  expect(capacity.calls).toBe(3);
});

test('an organization whose code is taken gets another code, and the first stays unchanged', async () => {
  const drawn = Math.random();
  const draws = [drawn, drawn, Math.random()];
  const random = () => draws.shift()!;
  const input = {
    name: 'Test',
    country: 'AU',
    owner: { firstName: 'Tess', lastName: 'Owner', email: 'tess@example.com' },
    token: { name: 'Test', mode: 'test', scopes: ['read'] },
  } as const;
  const create = () => createOrganization(newStore(), limits(), input, { random, randomBytes });
  const [first, second] = [await create(), await create()];
  expect(second.code).not.toBe(first.code);
  for (const { code } of [first, second]) {
    const ledger = newStore().ledgerOf({ organization: code, userId: '', ...limits() });
    expect((await ledger.page(events, page)).totalCount).toBe(2);
  }
});
