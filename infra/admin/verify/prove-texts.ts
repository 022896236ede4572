import * as v from 'valibot';
import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import { isOwnItem, keyNamesOf, recordKey, searchIndexes } from '../../../shared/ledger/internal/keys.ts';
import {
  foldedSearchables,
  searchAttributes,
  searchIndexesOf,
} from '../../../shared/ledger/internal/searchables.ts';
import type { Draft } from './draft.ts';
import type { Mend } from './finding.ts';
import type { Observed, Scene } from './scene.ts';
import type { Judge } from './snapshots.ts';

type Declared = Pick<Observed, 'collection' | 'number' | 'record'>;
type Numbered = Pick<Observed, 'collection' | 'number'>;

/** How a record is in the text indexes; `none`: in none at all, though it has texts. */
type TextPlaces = 'right' | 'wrong' | 'none';

/** Whether a record is in the text indexes by the texts that it has, and in no other. */
export function textPlacesOf(scene: Scene, declared: Declared, item: Item): TextPlaces {
  const expected = textsOf(scene, declared);
  const names = textNames.filter((name) => item[name] !== expected[name]);
  if (names.length === 0) return 'right';
  return textNames.every((name) => item[name] === undefined) ? 'none' : 'wrong';
}

/** Tells that a record is not found by its texts. One item shows it, so it is damage at once. */
export function findTexts(scene: Scene, observed: Numbered): void {
  const { collection, number } = observed;
  const where = scene.nameOf(collection.name, number);
  const sentence = `${where} is not in the text indexes by the texts that it has.`;
  scene.find('text-wrong', where, sentence, judgeTexts(scene, observed));
}

function judgeTexts(scene: Scene, numbered: Numbered): Judge<Mend | undefined> {
  const { collection, number } = numbered;
  const key = recordKey(scene.organization, collection.name, number);
  return (look) => {
    const item = look(key);
    const parsed = v.safeParse(collection.schema, item);
    if (!item || !parsed.success) return undefined;
    // A newer version of the code may find these records by texts, but in no index of another organization.
    const isOwn = isOwnItem(scene.organization, { ...key, ...textsIn(item) });
    if (isOwn && searchIndexesOf(collection).length === 0) return undefined;
    if (textPlacesOf(scene, { ...numbered, record: parsed.output }, item) === 'right') return undefined;
    return {
      sentence:
        searchIndexesOf(collection).length === 0 ? 'takes it from there' : 'puts it there by its texts',
      apply: (draft) => {
        putTexts(draft, scene, numbered);
      },
    };
  };
}

/** Drafts that a record is in the text indexes by the texts that it has. */
export function putTexts(draft: Draft, scene: Scene, { collection, number }: Numbered): void {
  const key = recordKey(scene.organization, collection.name, number);
  const item = draft.look(key);
  const parsed = v.safeParse(collection.schema, item);
  if (!item || !parsed.success) return;
  const others = Object.entries(item).filter(([name]) => !textNames.includes(name));
  draft.put(key, {
    ...Object.fromEntries(others),
    ...textsOf(scene, { collection, number, record: parsed.output }),
  });
}

const textNames: readonly string[] = searchIndexes.flatMap((index) => Object.values(keyNamesOf(index)));

const textsIn = (item: Item): Item =>
  Object.fromEntries(Object.entries(item).filter(([name]) => textNames.includes(name)));

const textsOf = ({ organization }: Scene, { collection, number, record }: Declared): Item =>
  searchAttributes(organization, { collection, number }, foldedSearchables(collection, record));
