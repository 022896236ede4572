import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import type { Key } from '../../../shared/ledger/internal/keys.ts';
import { inParallel } from './parallel.ts';
import { maxSnapshotItems, retryWait, type TableReads } from './table-reads.ts';

/** Items of one instant. */
export interface Snapshot {
  /** Undefined if there is no such item. */
  get(key: Key): Item | undefined;
}

/**
 * Function of a few items of one instant. `runChecks` runs it several times, at first on items that are not read yet and seem
 * missing, until one snapshot has every item that the check asked for. So a check must have no effect.
 */
export type Check<T> = (snapshot: Snapshot) => T;

/** Result of a check that got no snapshot: a transaction held one of its items each time, or each run asked for other items. */
export const unsettled = Symbol('unsettled');

/** Number of checks that share a snapshot; `atOnce` is the number of snapshots read at a time. */
const perSnapshot = 20;
const atOnce = 4;
/** Number of tries for a snapshot whose items transactions hold. Then the checks are split into halves. */
const maxTries = 100;
/** Number of times that a check may ask for other items than before. */
const maxRounds = 20;

/**
 * Runs each check on a serializable read (`TransactGetItems`) of all items that the check asks for. Such a
 * read shows each transaction whole or not at all. So a rule that holds after every write holds in the read,
 * whoever writes meanwhile, and a broken rule is damage.
 */
export async function runChecks<T>(
  reads: TableReads,
  checks: readonly Check<T>[],
): Promise<(T | typeof unsettled)[]> {
  const batches: (readonly Check<T>[])[] = [];
  for (let at = 0; at < checks.length; at += perSnapshot) batches.push(checks.slice(at, at + perSnapshot));
  return (await inParallel(atOnce, batches, (batch) => runTogether(reads, batch))).flat();
}

async function runTogether<T>(
  reads: TableReads,
  checks: readonly Check<T>[],
): Promise<(T | typeof unsettled)[]> {
  let items = new Map<string, Item | undefined>();
  for (let round = 0; round < maxRounds; round++) {
    const { results, wanted } = checkOn(checks, items);
    if ([...wanted.keys()].every((name) => items.has(name))) return results;
    const isTooMuch = wanted.size > maxSnapshotItems && checks.length > 1;
    const read = isTooMuch ? undefined : await snapshotOf(reads, wanted);
    if (read === undefined) break;
    items = read;
  }
  if (checks.length === 1) return [unsettled];
  const half = Math.ceil(checks.length / 2);
  const first = await runTogether(reads, checks.slice(0, half));
  return [...first, ...(await runTogether(reads, checks.slice(half)))];
}

function checkOn<T>(checks: readonly Check<T>[], items: ReadonlyMap<string, Item | undefined>) {
  const wanted = new Map<string, Key>();
  const results = checks.map((check) =>
    check({
      get: (key) => {
        const name = `${key.pk} ${key.sk}`;
        wanted.set(name, key);
        return items.get(name);
      },
    }),
  );
  return { results, wanted };
}

/** Items by name; undefined if transactions held one of them at every try. */
async function snapshotOf(
  reads: TableReads,
  wanted: ReadonlyMap<string, Key>,
): Promise<Map<string, Item | undefined> | undefined> {
  const keys = [...wanted.values()];
  for (let tries = 1; tries <= maxTries; tries++) {
    const items =
      keys.length > maxSnapshotItems ? await atOneVersion(reads, keys) : await reads.snapshot(keys);
    if (items) return new Map([...wanted.keys()].map((name, at) => [name, items[at]]));
    await retryWait(reads.system, tries);
  }
  return undefined;
}

/**
 * Reads more items than one serializable read takes, by several reads that each include the head. Every write
 * advances the head, so reads with the same version are of one instant. Undefined if a write came between
 * them, or if `keys` has no head.
 */
async function atOneVersion(
  reads: TableReads,
  keys: readonly Key[],
): Promise<(Item | undefined)[] | undefined> {
  const head = keys.find(({ sk }) => sk === 'HEAD');
  if (!head) return undefined;
  const size = maxSnapshotItems - 1;
  const batches = Array.from({ length: Math.ceil(keys.length / size) }, (_, at) =>
    keys.slice(at * size, (at + 1) * size),
  );
  const read = await Promise.all(
    batches.map(
      async (batch) => (await reads.snapshot([head, ...batch.filter((one) => one !== head)])) ?? [],
    ),
  );
  const versions = new Set(read.map(([item]) => item?.['version']));
  if (versions.size > 1 || versions.has(undefined)) return undefined;
  return batches.flatMap((batch, at) => {
    const [item, ...others] = read[at] ?? [];
    const rest = others.values();
    return batch.map((one) => (one === head ? item : rest.next().value));
  });
}
