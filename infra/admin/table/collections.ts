import { globSync } from 'node:fs';
import * as v from 'valibot';
import { recordId, type OrganizationCode } from '../../../shared/core/ids.ts';
import { members } from '../../../shared/domain/members/members.ts';
import { organizations } from '../../../shared/domain/settings/organization-record.ts';
import type { Item } from '../../../shared/ledger/internal/attributes.ts';
import { events, type Collection } from '../../../shared/ledger/internal/collection.ts';
import { idOf, numberOfId } from '../../../shared/ledger/internal/stored-record.ts';

const domain = new URL('../../../shared/domain/', import.meta.url);

/** Shape of a collection, to find collections among the exports of the domain. */
const Declaration = v.looseObject({
  name: v.string(),
  label: v.string(),
  schema: v.looseObject({ kind: v.literal('schema'), type: v.literal('object') }),
});
const isCollection = (value: unknown): value is Collection => v.is(Declaration, value);

const files = globSync('**/*.ts', { cwd: domain });
const modules: unknown[] = await Promise.all(files.map((name) => import(new URL(name, domain).href)));
const exported = modules.flatMap((all) => (v.is(v.object({}), all) ? Object.values<unknown>(all) : []));

/** Collections that the modules of the domain export, so that a new subject needs no entry here; the events last. */
export const collections: readonly Collection[] = [
  ...[...new Set(exported.filter(isCollection))].sort((one, other) => (one.name < other.name ? -1 : 1)),
  events,
];

const names = new Set(collections.map(({ name }) => name));
if (names.size < collections.length) throw new Error('Two collections have the same name');

/** Id that belongs to a record's number. */
export const expectedIdOf = (
  collection: Collection,
  organization: OrganizationCode,
  number: number,
): string | number =>
  collection.name === organizations.name ? `org_${organization}` : idOf(collection, organization, number);

/** True if the id belongs to the record's number, and a member's `userId` too. */
export const hasRightId = (
  collection: Collection,
  organization: OrganizationCode,
  number: number,
  { id, userId }: Item,
): boolean =>
  id === expectedIdOf(collection, organization, number) &&
  (collection.name !== members.name || userId === recordId('user', organization, number));

/** Number of the record with this id; undefined if no record of the collection can have the id. */
export function strictNumberOfId(
  collection: Collection,
  organization: OrganizationCode,
  id: unknown,
): number | undefined {
  if (typeof id !== 'string' && typeof id !== 'number') return undefined;
  const number = numberOfId(collection, organization, id);
  // An id of digits as a string is not the number.
  return number !== undefined && idOf(collection, organization, number) === id ? number : undefined;
}
