import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import type { Key } from '../../../shared/ledger/internal/keys.ts';
import type { System } from '../../../shared/core/system.ts';
import { inParallel } from './parallel.ts';
import type { TableReads } from './table-reads.ts';

/** Gives an item of one snapshot; undefined where there is none. */
export type Look = (key: Key) => Item | undefined;

/**
 * Judges a few items, all of one moment. It is run several times, the first times on items that are not read yet (so they
 * seem not to be there), until every item that it looked at is from one snapshot; so it must have no effect.
 */
export type Judge<T> = (look: Look) => T;

/** What cannot be judged: a transaction held one of its items each time, or it looked at others each time. */
export const unsettled = Symbol('unsettled');

/** DynamoDB's limit on one transaction. */
const maxKeys = 100;
/** How many judges share a snapshot; and how many snapshots are under way together. */
const perSnapshot = 20;
const atOnce = 4;
/** How often a snapshot is tried while transactions hold its items; then it is tried in halves. */
const maxTries = 100;
/** The longest wait between two tries, in milliseconds: about what a few transactions take. */
const longestWait = 40;
/** How often a judge may look at other items than before. */
const maxRounds = 20;

/**
 * What each judge says on a serializable read of all the items that it looks at (`TransactGetItems`). Such a read shows
 * every transaction whole or not at all. So what must hold after every write holds in it, whoever writes meanwhile, and
 * what does not hold in it is damage.
 */
export async function settle<T>(
  reads: TableReads,
  judges: readonly Judge<T>[],
): Promise<(T | typeof unsettled)[]> {
  const batches: (readonly Judge<T>[])[] = [];
  for (let at = 0; at < judges.length; at += perSnapshot) batches.push(judges.slice(at, at + perSnapshot));
  return (await inParallel(atOnce, batches, (batch) => settleTogether(reads, batch))).flat();
}

async function settleTogether<T>(
  reads: TableReads,
  judges: readonly Judge<T>[],
): Promise<(T | typeof unsettled)[]> {
  let items = new Map<string, Item | undefined>();
  for (let round = 0; round < maxRounds; round++) {
    const { results, wanted } = judgeOn(judges, items);
    if ([...wanted.keys()].every((name) => items.has(name))) return results;
    const isTooMuch = wanted.size > maxKeys && judges.length > 1;
    const read = isTooMuch ? undefined : await snapshotOf(reads, wanted);
    if (read === undefined) break;
    items = read;
  }
  if (judges.length === 1) return [unsettled];
  const half = Math.ceil(judges.length / 2);
  const first = await settleTogether(reads, judges.slice(0, half));
  return [...first, ...(await settleTogether(reads, judges.slice(half)))];
}

function judgeOn<T>(judges: readonly Judge<T>[], items: ReadonlyMap<string, Item | undefined>) {
  const wanted = new Map<string, Key>();
  const results = judges.map((judge) =>
    judge((key) => {
      const name = `${key.pk} ${key.sk}`;
      wanted.set(name, key);
      return items.get(name);
    }),
  );
  return { results, wanted };
}

/** The items by their names, or undefined where transactions held one of them for long. */
async function snapshotOf(
  reads: TableReads,
  wanted: ReadonlyMap<string, Key>,
): Promise<Map<string, Item | undefined> | undefined> {
  const keys = [...wanted.values()];
  for (let tries = 1; tries <= maxTries; tries++) {
    const items = keys.length > maxKeys ? await atOneVersion(reads, keys) : await reads.snapshot(keys);
    if (items) return new Map([...wanted.keys()].map((name, at) => [name, items[at]]));
    await retryWait(reads.system, tries);
  }
  return undefined;
}

/** Waits between two tries to read what is written to. */
export const retryWait = (system: System, tries: number): Promise<void> =>
  system.sleep(1 + system.random() * Math.min(longestWait, 2 ** tries));

/**
 * More items than one serializable read takes, by several that all show the head: each write advances it, so what they show
 * with the same version is of one moment. Undefined where there was a write between them, or the head is not asked for.
 */
async function atOneVersion(
  reads: TableReads,
  keys: readonly Key[],
): Promise<(Item | undefined)[] | undefined> {
  const head = keys.find(({ sk }) => sk === 'HEAD');
  if (!head) return undefined;
  const size = maxKeys - 1;
  const portions = Array.from({ length: Math.ceil(keys.length / size) }, (_, at) =>
    keys.slice(at * size, (at + 1) * size),
  );
  const read = await Promise.all(
    portions.map(
      async (portion) => (await reads.snapshot([head, ...portion.filter((one) => one !== head)])) ?? [],
    ),
  );
  const versions = new Set(read.map(([item]) => item?.['version']));
  if (versions.size > 1 || versions.has(undefined)) return undefined;
  return portions.flatMap((portion, at) => {
    const [item, ...others] = read[at] ?? [];
    const rest = others.values();
    return portion.map((one) => (one === head ? item : rest.next().value));
  });
}
