import * as v from 'valibot';
import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import type { Collection } from '../../../shared/ledger/internal/collection.ts';
import { stateIn } from '../../../shared/ledger/internal/head.ts';
import { listPartition, recordKey, type Key } from '../../../shared/ledger/internal/keys.ts';
import { heldValues } from '../../../shared/ledger/internal/unique-values.ts';
import { numberOfId } from './collections.ts';
import { judgedAgain, type Finding, type Mend } from './finding.ts';
import { isHoleIn } from './notes.ts';
import type { Observed, Scene } from './scene.ts';
import type { Judge, Look } from './snapshots.ts';

interface Found {
  finding: Finding;
  /** The sort key of the unique value. */
  sk: string;
}

/**
 * Proves that each live record holds its unique values, and that nothing else is held. The items of the values are read
 * before the records; of those, only what is not matched yet is kept.
 */
export class Uniques {
  readonly #scene: Scene;
  /** The number of the record that holds each value, by sort key. */
  readonly #held = new Map<string, number>();
  /** The records that do not hold what they have, as far as was seen. */
  readonly #doubtful: { collection: Collection; number: number }[] = [];

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  observeValue(item: Item): void {
    const { organization } = this.#scene;
    const sk = String(item['sk']);
    const [kind = ''] = sk.split('#');
    const collection = collectionOf(this.#scene, kind);
    const number = collection && numberOfId(collection, organization, item['id']);
    if (!collection) {
      const where = `ORG#${organization}#UNIQUE`;
      this.#scene.find(
        'unknown-item',
        where,
        `${where} has an item that is no unique value of any collection.`,
      );
    } else if (number === undefined) {
      const sentence = `A value of ${kind} is held for something that can be no ${collection.label} of the organization.`;
      const key = { pk: `ORG#${organization}#UNIQUE`, sk };
      this.#scene.find('unique-of-nobody', kind, sentence, (look) => {
        const held = look(key);
        const isOfNobody = held && numberOfId(collection, organization, held['id']) === undefined;
        return isOfNobody ? released(key) : undefined;
      });
    } else this.#held.set(sk, number);
  }

  observe({ collection, number, item, record }: Observed): void {
    if (!collection.uniques) return;
    let isHeld = true;
    for (const { key } of heldValues(this.#scene.organization, collection, record, item)) {
      const { sk } = key;
      if (this.#held.get(sk) === number) this.#held.delete(sk);
      else isHeld = false;
    }
    if (!isHeld) this.#doubtful.push({ collection, number });
  }

  async settle(): Promise<void> {
    const scene = this.#scene;
    const known = new Set<string>();
    await scene.inPortions(this.#doubtful, 'the unique values of records', async (portion) => {
      const judges = portion.map(({ collection, number }) => this.#judgeRecord(collection, number));
      const results = await scene.settle(judges);
      for (const [at, judge] of judges.entries()) {
        for (const { finding, sk } of results[at] ?? []) {
          const judgeSame: Judge<Finding | undefined> = (look) =>
            judge(look).find((found) => found.sk === sk)?.finding;
          scene.findings.push(judgedAgain(finding, judgeSame));
          known.add(sk);
        }
      }
    });
    // A value that is held for another than the one that has it is one finding.
    const held = this.#held.entries().filter(([sk]) => !known.has(sk));
    await scene.inPortions(held, 'the unique values that are held', (portion) =>
      scene.settleFindings(portion.flatMap(([sk, number]) => this.#judgeValue(sk, number) ?? [])),
    );
  }

  #judgeRecord(collection: Collection, number: number): Judge<Found[]> {
    const { organization } = this.#scene;
    const where = this.#scene.nameOf(collection.name, number);
    return (look) =>
      valuesOf(this.#scene, collection, look(recordKey(organization, collection.name, number))).flatMap(
        ({ field, key, holder }) => {
          const item = look(key);
          if (item?.['id'] === holder) return [];
          const kind = `${collection.name}.${field}`;
          const mend: Mend = {
            sentence: `holds it for ${where}`,
            apply: (draft) => {
              draft.put(key, { id: holder });
            },
          };
          if (!item) {
            const sentence = `${where} has a value of ${kind} that is not held for it: another record could take it.`;
            return [{ finding: { kind: 'unique-missing', where, sentence, mend }, sk: key.sk }];
          }
          const sentence = `${where} has a value of ${kind} that is held for ${this.#holderIn(collection, item)}.`;
          const isWrong = this.#isReleased(collection, item, key, look);
          const finding: Finding = { kind: 'unique-other-holder', where, sentence, ...(isWrong && { mend }) };
          return [{ finding, sk: key.sk }];
        },
      );
  }

  /**
   * Whether nobody has a value for whom it is held. What is held for a record that cannot be read, or is missing and not
   * noted as deleted, may be its own.
   */
  #isReleased(collection: Collection, value: Item, { sk }: Key, look: Look): boolean {
    const { organization } = this.#scene;
    const { name } = collection;
    const number = numberOfId(collection, organization, value['id']);
    if (number === undefined) return true;
    const record = look(recordKey(organization, name, number));
    const isNoted = isHoleIn(look, listPartition(organization, { collection: name }), number);
    const head = this.#scene.headIn(look);
    if (!record) return head !== undefined && (isNoted === true || number > stateIn(head, name).last);
    if (!v.is(collection.schema, record)) return false;
    return !valuesOf(this.#scene, collection, record).some(({ key }) => key.sk === sk);
  }

  #judgeValue(sk: string, before: number): Judge<Finding | undefined> | undefined {
    const { organization } = this.#scene;
    const [kind = ''] = sk.split('#');
    const collection = collectionOf(this.#scene, kind);
    if (!collection) return undefined;
    const key = { pk: `ORG#${organization}#UNIQUE`, sk };
    return (look) => {
      const item = look(key);
      // Read in any case: while nothing is read yet, this is how the judge says what it needs.
      const number = (item && numberOfId(collection, organization, item['id'])) ?? before;
      const record = look(recordKey(organization, collection.name, number));
      if (!item || valuesOf(this.#scene, collection, record).some((value) => value.key.sk === sk))
        return undefined;
      const holder = this.#scene.nameOf(collection.name, number);
      const why = record ? 'which has another' : 'which is not there';
      const sentence = `A value of ${kind} is held for ${holder}, ${why}: no record can take it.`;
      const where = `${kind} of ${holder}`;
      if (!this.#isReleased(collection, item, key, look))
        return { kind: 'unique-of-nobody', where, sentence };
      return { kind: 'unique-of-nobody', where, sentence, mend: released(key) };
    };
  }

  #holderIn(collection: Collection, item: Item): string {
    const number = numberOfId(collection, this.#scene.organization, item['id']);
    return number === undefined ? 'no record' : this.#scene.nameOf(collection.name, number);
  }
}

/** Lets nobody hold a value. */
const released = (key: Key): Mend => ({
  sentence: 'releases it',
  apply: (draft) => {
    draft.remove(key);
  },
});

/** The collection of a kind of unique values, such as `LEAD.email`. */
function collectionOf(scene: Scene, kind: string): Collection | undefined {
  const collection = scene.collectionNamed(kind.split('.')[0] ?? '');
  return collection?.uniques && kind.includes('.') ? collection : undefined;
}

function valuesOf(
  { organization }: Scene,
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
