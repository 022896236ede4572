import * as v from 'valibot';
import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import type { Collection } from '../../../shared/ledger/internal/collection.ts';
import { stateIn } from '../../../shared/ledger/internal/head.ts';
import { listPartition, recordKey, uniquePartition, type Key } from '../../../shared/ledger/internal/keys.ts';
import { heldValues } from '../../../shared/ledger/internal/unique-values.ts';
import { strictNumberOfId } from './collections.ts';
import { withRecheck, type Finding } from './finding.ts';
import type { Repair } from './repair-plan.ts';
import { isHoleIn } from './hole-items.ts';
import type { ObservedRecord, Verification } from './verification.ts';
import type { Check, Snapshot } from './snapshots.ts';

interface Found {
  finding: Finding;
  /** Sort key of the unique value. */
  sk: string;
}

/**
 * Verifies that each live record holds its unique values, and that no other value is held. The items of the
 * values are read before the records, and dropped as soon as their record is read.
 */
export class UniqueValuesCheck {
  readonly #verification: Verification;
  /** Number of the record that holds each value, by sort key. */
  readonly #held = new Map<string, number>();
  /** Records with a value that they did not seem to hold. */
  readonly #suspects: { collection: Collection; number: number }[] = [];

  constructor(verification: Verification) {
    this.#verification = verification;
  }

  observeValue(item: Item): void {
    const { organization } = this.#verification;
    const sk = String(item['sk']);
    const [kind = ''] = sk.split('#');
    const collection = collectionOf(this.#verification, kind);
    const number = collection && strictNumberOfId(collection, organization, item['id']);
    if (!collection) {
      const where = uniquePartition(organization);
      this.#verification.addFinding(
        'unknown-item',
        where,
        `${where} has an item that is no unique value of any collection.`,
      );
    } else if (number === undefined) {
      const sentence = `A value of ${kind} is held for something that can be no ${collection.label} of the organization.`;
      const key = { pk: uniquePartition(organization), sk };
      this.#verification.addFinding('unique-without-record', kind, sentence, (snapshot) => {
        const held = snapshot.get(key);
        const isOfNobody = held && strictNumberOfId(collection, organization, held['id']) === undefined;
        return isOfNobody ? releaseValue(key) : undefined;
      });
    } else this.#held.set(sk, number);
  }

  observe({ collection, number, item, record }: ObservedRecord): void {
    if (!collection.uniques) return;
    let isHeld = true;
    for (const { key } of heldValues(this.#verification.organization, collection, record, item)) {
      const { sk } = key;
      if (this.#held.get(sk) === number) this.#held.delete(sk);
      else isHeld = false;
    }
    if (!isHeld) this.#suspects.push({ collection, number });
  }

  async verify(): Promise<void> {
    const verification = this.#verification;
    const reported = new Set<string>();
    await verification.inBatches(this.#suspects, 'the unique values of records', async (batch) => {
      const checks = batch.map(({ collection, number }) => this.#checkRecord(collection, number));
      const results = await verification.runChecks(checks);
      for (const [at, check] of checks.entries()) {
        for (const { finding, sk } of results[at] ?? []) {
          const checkSame: Check<Finding | undefined> = (snapshot) =>
            check(snapshot).find((found) => found.sk === sk)?.finding;
          verification.findings.push(withRecheck(finding, checkSame));
          reported.add(sk);
        }
      }
    });
    // A value that is held for another record than the one that has it is one finding, not two.
    const held = this.#held.entries().filter(([sk]) => !reported.has(sk));
    await verification.inBatches(held, 'the unique values that are held', (batch) =>
      verification.confirmFindings(batch.flatMap(([sk, number]) => this.#checkValue(sk, number) ?? [])),
    );
  }

  #checkRecord(collection: Collection, number: number): Check<Found[]> {
    const { organization } = this.#verification;
    const where = this.#verification.nameOf(collection.name, number);
    return (snapshot) =>
      valuesOf(
        this.#verification,
        collection,
        snapshot.get(recordKey(organization, collection.name, number)),
      ).flatMap(({ field, key, holder }) => {
        const item = snapshot.get(key);
        if (item?.['id'] === holder) return [];
        const kind = `${collection.name}.${field}`;
        const repair: Repair = {
          sentence: `holds it for ${where}`,
          addTo: (plan) => {
            plan.put(key, { id: holder });
          },
        };
        if (!item) {
          const sentence = `${where} has a value of ${kind} that is not held for it: another record could take it.`;
          return [{ finding: { kind: 'unique-missing', where, sentence, repair }, sk: key.sk }];
        }
        const sentence = `${where} has a value of ${kind} that is held for ${this.#holderIn(collection, item)}.`;
        const isWrong = this.#isStale(collection, item, key, snapshot);
        const finding: Finding = { kind: 'unique-other-holder', where, sentence, ...(isWrong && { repair }) };
        return [{ finding, sk: key.sk }];
      });
  }

  /**
   * True if the record for which a value is held does not have it. A malformed record, or one that is missing
   * without a hole, may have it.
   */
  #isStale(collection: Collection, value: Item, { sk }: Key, snapshot: Snapshot): boolean {
    const { organization } = this.#verification;
    const { name } = collection;
    const number = strictNumberOfId(collection, organization, value['id']);
    if (number === undefined) return true;
    const record = snapshot.get(recordKey(organization, name, number));
    const isHole = isHoleIn(snapshot, listPartition(organization, { collection: name }), number);
    const head = this.#verification.headIn(snapshot);
    if (!record) return head !== undefined && (isHole === true || number > stateIn(head, name).last);
    if (!v.is(collection.schema, record)) return false;
    return !valuesOf(this.#verification, collection, record).some(({ key }) => key.sk === sk);
  }

  #checkValue(sk: string, before: number): Check<Finding | undefined> | undefined {
    const { organization } = this.#verification;
    const [kind = ''] = sk.split('#');
    const collection = collectionOf(this.#verification, kind);
    if (!collection) return undefined;
    const key = { pk: uniquePartition(organization), sk };
    return (snapshot) => {
      const item = snapshot.get(key);
      // Read in any case: on the first run nothing is read yet, and this is how the check asks for the
      // record.
      const number = (item && strictNumberOfId(collection, organization, item['id'])) ?? before;
      const record = snapshot.get(recordKey(organization, collection.name, number));
      if (!item || valuesOf(this.#verification, collection, record).some((value) => value.key.sk === sk))
        return undefined;
      const holder = this.#verification.nameOf(collection.name, number);
      const why = record ? 'which has another' : 'which is not there';
      const sentence = `A value of ${kind} is held for ${holder}, ${why}: no record can take it.`;
      const where = `${kind} of ${holder}`;
      if (!this.#isStale(collection, item, key, snapshot))
        return { kind: 'unique-without-record', where, sentence };
      return { kind: 'unique-without-record', where, sentence, repair: releaseValue(key) };
    };
  }

  #holderIn(collection: Collection, item: Item): string {
    const number = strictNumberOfId(collection, this.#verification.organization, item['id']);
    return number === undefined ? 'no record' : this.#verification.nameOf(collection.name, number);
  }
}

const releaseValue = (key: Key): Repair => ({
  sentence: 'releases it',
  addTo: (plan) => {
    plan.remove(key);
  },
});

/** Collection of a kind of unique values, such as `LEAD.email`. */
function collectionOf(verification: Verification, kind: string): Collection | undefined {
  const collection = verification.collectionNamed(kind.split('.')[0] ?? '');
  return collection?.uniques && kind.includes('.') ? collection : undefined;
}

function valuesOf(
  { organization }: Verification,
  collection: Collection,
  item: Item | undefined,
): { field: string; key: Key; holder: string | number }[] {
  const parsed = v.safeParse(collection.schema, item);
  if (!item || !parsed.success) return [];
  return heldValues(organization, collection, parsed.output, item).map(({ unique, key, holder }) => ({
    field: unique.field,
    key,
    holder,
  }));
}
