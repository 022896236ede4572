import * as v from 'valibot';
import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import { isOwnItem, keyNamesOf, recordKey, searchIndexes } from '../../../shared/ledger/internal/keys.ts';
import {
  foldedSearchables,
  searchAttributes,
  searchIndexesOf,
} from '../../../shared/ledger/internal/searchables.ts';
import type { Repair, RepairPlan } from './repair-plan.ts';
import type { ObservedRecord, Verification } from './verification.ts';
import type { Check } from './snapshots.ts';

type Declared = Pick<ObservedRecord, 'collection' | 'number' | 'record'>;
type Numbered = Pick<ObservedRecord, 'collection' | 'number'>;

/** `none`: the record has searchable fields, but is in no search index. */
type SearchIndexStatus = 'right' | 'wrong' | 'none';

/** Compares the record's search index attributes with its texts. */
export function searchIndexStatus(
  verification: Verification,
  declared: Declared,
  item: Item,
): SearchIndexStatus {
  const expected = textsOf(verification, declared);
  const names = textNames.filter((name) => item[name] !== expected[name]);
  if (names.length === 0) return 'right';
  return textNames.every((name) => item[name] === undefined) ? 'none' : 'wrong';
}

/** Adds a finding that one item proves. */
export function addTextFinding(verification: Verification, observed: Numbered): void {
  const { collection, number } = observed;
  const where = verification.nameOf(collection.name, number);
  const sentence = `The search index attributes of ${where} do not match its searchable fields.`;
  verification.addFinding('search-key-wrong', where, sentence, checkTexts(verification, observed));
}

function checkTexts(verification: Verification, numbered: Numbered): Check<Repair | undefined> {
  const { collection, number } = numbered;
  const key = recordKey(verification.organization, collection.name, number);
  return (snapshot) => {
    const item = snapshot.get(key);
    const parsed = v.safeParse(collection.schema, item);
    if (!item || !parsed.success) return undefined;
    // A newer version of the code may index these records, but never in another organization's partition.
    const isOwn = isOwnItem(verification.organization, { ...key, ...textsIn(item) });
    if (isOwn && searchIndexesOf(collection).length === 0) return undefined;
    if (searchIndexStatus(verification, { ...numbered, record: parsed.output }, item) === 'right')
      return undefined;
    return {
      sentence:
        searchIndexesOf(collection).length === 0 ? 'takes it from there' : 'puts it there by its texts',
      addTo: (plan) => {
        indexTexts(plan, verification, numbered);
      },
    };
  };
}

/** Sets the record's search index attributes from its texts. */
export function indexTexts(
  plan: RepairPlan,
  verification: Verification,
  { collection, number }: Numbered,
): void {
  const key = recordKey(verification.organization, collection.name, number);
  const item = plan.get(key);
  const parsed = v.safeParse(collection.schema, item);
  if (!item || !parsed.success) return;
  const others = Object.entries(item).filter(([name]) => !textNames.includes(name));
  plan.put(key, {
    ...Object.fromEntries(others),
    ...textsOf(verification, { collection, number, record: parsed.output }),
  });
}

const textNames: readonly string[] = searchIndexes.flatMap((index) => Object.values(keyNamesOf(index)));

const textsIn = (item: Item): Item =>
  Object.fromEntries(Object.entries(item).filter(([name]) => textNames.includes(name)));

const textsOf = ({ organization }: Verification, { collection, number, record }: Declared): Item =>
  searchAttributes(organization, { collection, number }, foldedSearchables(collection, record));
