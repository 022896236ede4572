import * as v from 'valibot';
import type { Collection, RecordOf } from '../../../shared/ledger/internal/collection.ts';
import { parseHead, stateIn, type Head } from '../../../shared/ledger/internal/head.ts';
import type { OrganizationCode } from '../../../shared/core/ids.ts';
import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import * as keys from '../../../shared/ledger/internal/keys.ts';
import type { Key } from '../../../shared/ledger/internal/keys.ts';
import { hasReadableClaims } from '../../../shared/ledger/internal/unique-values.ts';
import { expectedIdOf } from '../table/collections.ts';
import { keyName, redacted, unknownItem, type Finding, type FindingKind, type Repair } from './finding.ts';
import type { Items, OrganizationItems } from './organization-items.ts';
import { SparseNumbers } from '../table/sparse-numbers.ts';

/** Maximum number of findings of one kind: nobody needs a longer list. */
export const maxListed = 1000;

/** Numbers of one collection: each is a record, a hole (its record was removed), or lost. */
export interface Numbers {
  readonly name: string;
  /** Last number that the head says was given out. */
  readonly last: number;
  /** Revision of each record, by number; -1 if it is malformed. */
  readonly revisions: SparseNumbers;
  readonly holes: Set<number>;
  /** Last event that names the record; negative if that event removed it. */
  readonly namedBy: SparseNumbers;
  /** Numbers that are neither a record nor a hole. */
  readonly lost: number[];
  /** Numbers of malformed records. */
  readonly unreadable: number[];
}

/** Record that its collection's schema accepts. */
export interface ReadRecord<C extends Collection = Collection> {
  collection: C;
  number: number;
  item: Item;
  /** Parsed `item`. */
  record: RecordOf<C>;
}

/** True if the record is of this collection. */
export const isOf = <C extends Collection>(read: ReadRecord, { name }: C): read is ReadRecord<C> =>
  read.collection.name === name;

export interface JudgeOptions {
  collections: readonly Collection[];
  /** Epoch milliseconds. */
  now: number;
  /** Maximum number of findings of one kind. Default: 1000. */
  limit?: number;
}

/** Facts about an organization as of one version, and the findings about it. `README.md` has the words of this folder. */
export class Judgement {
  readonly organization: OrganizationCode;
  readonly items: OrganizationItems;
  readonly head: Head;
  /** Collections of this version of the code, by name. */
  readonly collections: ReadonlyMap<string, Collection>;
  /** Epoch milliseconds. */
  readonly now: number;
  findings: Finding[] = [];
  /** Partitions that must be read before their lists can be judged. */
  readonly wanted = new Set<string>();
  readonly numbers = new Map<string, Numbers>();
  readonly #countOf = new Map<FindingKind, number>();
  readonly #limit: number;

  constructor(
    organization: OrganizationCode,
    items: OrganizationItems,
    { collections, now, limit = maxListed }: JudgeOptions,
  ) {
    this.organization = organization;
    this.items = items;
    this.now = now;
    this.#limit = limit;
    this.head = parseHead(items.get(keys.headKey(organization)));
    this.collections = new Map(collections.map((collection) => [collection.name, collection]));
  }

  /** Adds a finding, unless there are too many of its kind. */
  add(
    kind: FindingKind,
    where: string,
    sentence: string,
    { keys, repair }: { keys?: readonly Key[]; repair?: Repair | undefined } = {},
  ): void {
    const count = (this.#countOf.get(kind) ?? 0) + 1;
    this.#countOf.set(kind, count);
    if (count <= this.#limit) this.findings.push({ kind, where, sentence, keys, repair });
    if (count === this.#limit + 1)
      this.findings.push({ kind: 'more', where: kind, sentence: `There is more of the kind ${kind}.` });
  }

  /** Replaces each repair that has to wait by its advice; `adviceFor` returns undefined for any other repair. */
  delayRepairs(adviceFor: (repair: Repair) => string | undefined): void {
    this.findings = this.findings.map((finding) => {
      const advice = finding.repair && adviceFor(finding.repair);
      return advice === undefined ? finding : { ...finding, repair: undefined, advice };
    });
  }

  addUnknown(key: Key): void {
    const { kind, where, sentence } = unknownItem(key);
    this.add(kind, where, sentence, { keys: [key] });
  }

  /** True if a partition was read; else it is wanted. */
  isRead(pk: string): boolean {
    if (this.items.isRead(pk)) return true;
    this.wanted.add(pk);
    return false;
  }

  /** Numbers of a collection, at first none. */
  numbersOf(name: string): Numbers {
    const numbers = this.numbers.get(name) ?? {
      name,
      last: stateIn(this.head, { collection: name }).last,
      revisions: new SparseNumbers(),
      holes: new Set(),
      namedBy: new SparseNumbers(),
      lost: [],
      unreadable: [],
    };
    this.numbers.set(name, numbers);
    return numbers;
  }

  /** True if each number of the collection is a readable record or a hole. Known once the numbers are judged. */
  isWhole(name: string): boolean {
    const { lost, unreadable } = this.numbersOf(name);
    return lost.length + unreadable.length === 0;
  }

  /** Reads a record; undefined if it is missing or malformed. */
  read<C extends Collection>(collection: C, number: number): ReadRecord<C> | undefined {
    const item = this.items.get(this.keyOf(collection.name, number));
    const parsed = v.safeParse(collection.schema, item);
    if (!item || !parsed.success || !hasReadableClaims(item)) return undefined;
    return { collection, number, item, record: parsed.output };
  }

  isRecord(name: string, number: number): boolean {
    return this.numbersOf(name).revisions.get(number) !== 0;
  }

  /** True if the number's record was removed. */
  isHole(name: string, number: number): boolean {
    return !this.isRecord(name, number) && this.numbersOf(name).holes.has(number);
  }

  keyOf(name: string, number: number): Key {
    return keys.recordKey(this.organization, name, number);
  }

  get headName(): string {
    return keyName(keys.headKey(this.organization));
  }

  /** Record's name in a sentence: its id, or its label and number. */
  nameOf(name: string, number: number): string {
    const collection = this.collections.get(name);
    if (collection === undefined) return `${name} ${number}`;
    const id = expectedIdOf(collection, this.organization, number);
    return typeof id === 'string' ? id : `${collection.label} ${number}`;
  }

  /** List's name in a sentence, from its partition. */
  listNameOf(partition: string): string {
    const key = keys.parseListPartition(this.organization, partition);
    if (!key) return 'what is no list of the organization';
    const whose = key.owner ? ` of ${this.nameOf(key.owner.collection, key.owner.number)}` : '';
    return `the list ${redacted(keys.listName(key))}${whose}`;
  }
}

/** Names of the records that have lost a change, by `nameOfKey`. Each is older than an event that names it. */
export type Outdated = ReadonlyMap<string, string>;

/**
 * Rule that every organization follows. A rule sees each readable record once, then finishes. Both steps may add
 * findings.
 */
export abstract class Rule {
  protected readonly judgement: Judgement;

  constructor(judgement: Judgement) {
    this.judgement = judgement;
  }

  abstract observe(read: ReadRecord): void;
  abstract finish(outdated: Outdated): void;
}

/** Heads by the items that they were parsed from: each list asks for the head. */
const heads = new WeakMap<Item, Head>();

/** Head as a repair has planned it. */
export function headIn(items: Items, organization: OrganizationCode): Head {
  const item = items.get(keys.headKey(organization));
  const head = (item && heads.get(item)) ?? parseHead(item);
  if (item) heads.set(item, head);
  return head;
}
