import * as v from 'valibot';
import { beforeEach, describe, expect, test } from 'vitest';
import { seededRandom } from '../../../infra/local/demo/seeded-random.ts';
import { foldForSearch } from '../../../shared/core/fold-case.ts';
import type { Collection } from '../../../shared/ledger/index.ts';
import { recordKey } from '../../../shared/ledger/internal/keys.ts';
import { SimulatedLedger } from './simulated-ledger.ts';

const Person = v.object({ id: v.number(), first: v.string(), last: v.string(), business: v.string() });
type Person = v.InferOutput<typeof Person>;
const people = {
  name: 'PERSON',
  label: 'person',
  schema: Person,
  searchables: {
    first: ({ first }: Person) => first,
    last: ({ last }: Person) => last,
    business: ({ business }: Person) => business,
  },
} as const satisfies Collection;

const event = { event: 'TEST', data: 'A test', referenceId: '1' };
const noTexts = { first: '', last: '', business: '' };
const ref = (number: number) => ({ collection: people, number });

let simulated: SimulatedLedger;
beforeEach(async () => {
  simulated = await SimulatedLedger.found();
});

/** Adds people, in as few writes as that takes, and returns them. */
async function add(...all: Partial<Person>[]): Promise<Person[]> {
  const added: Person[] = [];
  for (let done = 0; done < all.length; done += 90) {
    await simulated.run((ledger) =>
      ledger.write({}, (write) => {
        write.event(event);
        for (const one of all.slice(done, done + 90)) {
          added.push(write.append(people, ({ number: id }) => ({ id, ...noTexts, ...one })).record);
        }
      }),
    );
  }
  return added;
}
const change = (number: number, changes: Partial<Person>, collection: Collection = people) =>
  simulated.run((ledger) =>
    ledger.write({ change: { one: { collection, number } } }, (write, { one }) => {
      write.event(event);
      write.replace({ collection, number }, { ...one, ...changes });
    }),
  );
async function find(prefix: string, max = 100) {
  const { result, cost } = await simulated.run((ledger) => ledger.findByPrefix(people, prefix, max));
  return { ids: result.map(({ id }) => id), cost };
}
const idsOf = async (prefix: string) => (await find(prefix)).ids;

/** The keys of a person in the indexes that match, in their order. */
const keysOf = ({ id, first, last, business }: Person, prefix: string) =>
  [first, last, business]
    .map(foldForSearch)
    .filter((text) => text !== '' && text.startsWith(foldForSearch(prefix)))
    .map((text) => `${text}\t${String(id).padStart(12, '0')}`)
    .sort(byCodePoint);
const byCodePoint = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other));

/** The expected result of a search among all people, and the number of index entries up to its last match. */
function expected(all: readonly Person[], prefix: string, max: number) {
  const entries = all.flatMap((person) => keysOf(person, prefix).map((key) => ({ key, id: person.id })));
  entries.sort((one, other) => byCodePoint(one.key, other.key));
  const ids = [...new Set(entries.map(({ id }) => id))].slice(0, max);
  const last = ids.length < max ? entries.length : entries.findIndex(({ id }) => id === ids.at(-1)) + 1;
  return { ids, entries: last };
}

test('any search finds each record once, in order, and reads at most one page more', async () => {
  const { random } = seededRandom(7);
  const oneOf = <T>(...choices: readonly T[]): T => choices[Math.floor(random() * choices.length)]!;
  // UTF-16 orders the last two differently than UTF-8.
  const text = () =>
    Array.from({ length: Math.floor(random() * 4) }, () => oneOf('a', 'B', 'é', 'b', 'ｚ', '🦊')).join('');
  const all = await add(
    ...Array.from({ length: 250 }, () => ({ first: text(), last: text(), business: oneOf('', text()) })),
  );
  let found = 0;
  for (const prefix of ['a', 'b', 'e', 'Ｚ', '🦊', 'ab', 'Ba', 'bé', '🦊🦊', 'aaa', 'q']) {
    for (const max of [3, 4, 10, 33, 100]) {
      const { ids, cost } = await find(prefix, max);
      const { ids: wanted, entries } = expected(all, prefix, max);
      expect(ids, `${max} of ${prefix}`).toEqual(wanted);
      expect(cost.itemsQueried, `${max} of ${prefix}`).toBeLessThanOrEqual(entries + max);
      found += ids.length;
    }
  }
  expect(found).toBeGreaterThan(800);
});

describe('a field that is longer than a sort key', () => {
  // Each character has three bytes, which do not divide the limit of a key.
  const long = '€'.repeat(400);

  test('is found by its beginning, and by all of it', async () => {
    await add({ first: long }, { first: `${long}a` }, { first: `${long}b` }, { first: '€' });
    expect(await idsOf('€')).toEqual([4, 1, 2, 3]);
    expect(await idsOf(long)).toEqual([1, 2, 3]);
    expect(await idsOf(`${long}B`)).toEqual([3]);
    expect(await idsOf(`${long}c`)).toEqual([]);
  });

  test('is cut at a whole character, and stays one that DynamoDB takes', async () => {
    await add({ first: long });
    const { gsi6sk } = simulated.item(recordKey(simulated.code, 'PERSON', 1))!;
    expect(gsi6sk).toEqual({ S: `${'€'.repeat(337)}\t000000000001` });
  });
});

describe('a record', () => {
  const stored = () => simulated.item(recordKey(simulated.code, 'PERSON', 1));
  const placesOf = () => Object.keys(stored() ?? {}).filter((name) => /^gsi[678]/.test(name));

  test('is found by its present fields, and not by earlier ones', async () => {
    await add({ first: 'Ann', last: 'Lee' });
    await change(1, { first: 'Bo', last: '' });
    expect(await idsOf('an')).toEqual([]);
    expect(await idsOf('le')).toEqual([]);
    expect(await idsOf('bo')).toEqual([1]);
    expect(placesOf().sort()).toEqual(['gsi6pk', 'gsi6sk']);
    await simulated.run((ledger) =>
      ledger.write({ change: { one: ref(1) } }, (write) => {
        write.event(event);
        write.remove(ref(1));
      }),
    );
    expect(await idsOf('bo')).toEqual([]);
  });

  test('that was stored before its collection had searchable fields is found after its next change', async () => {
    const { searchables, ...before } = people;
    expect(Object.keys(searchables)).toHaveLength(3);
    await simulated.run((ledger) =>
      ledger.write({}, (write) => {
        write.event(event);
        write.append(before, ({ number: id }) => ({ id, ...noTexts, first: 'Ann', last: 'Lee' }));
      }),
    );
    expect(placesOf()).toEqual([]);
    expect(await idsOf('ann')).toEqual([]);
    expect((await simulated.run((ledger) => ledger.get(ref(1)))).result).toMatchObject({ first: 'Ann' });
    await change(1, { business: 'Gutters' });
    for (const prefix of ['ann', 'lee', 'gut']) expect(await idsOf(prefix)).toEqual([1]);
  });

  test('keeps the index keys that only newer code knows, and is not found by earlier fields', async () => {
    const { searchables, ...rest } = people;
    const older = { ...rest, searchables: { first: searchables.first } } as const satisfies Collection;
    await add({ first: 'Ann', last: 'Lee' });
    await change(1, { first: 'Bo', last: 'Ray' }, older);
    expect(stored()).toMatchObject({
      gsi6sk: { S: 'bo\t000000000001' },
      gsi7sk: { S: 'lee\t000000000001' },
    });
    expect(await idsOf('lee')).toEqual([]);
    await change(1, {});
    expect(await idsOf('ray')).toEqual([1]);
  });
});

test('a collection has three searchable fields at most', async () => {
  const text = ({ first }: Person) => first;
  const four = {
    ...people,
    searchables: { ...people.searchables, fourth: text },
  } as const satisfies Collection;
  const adding = simulated.run((ledger) =>
    ledger.write({}, (write) => {
      write.event(event);
      write.append(four, ({ number: id }) => ({ id, ...noTexts }));
    }),
  );
  await expect(adding).rejects.toThrow('PERSON has more searchable fields than there are search indexes');
});
