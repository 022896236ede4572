import type { Draw } from './draw.ts';
import type { OrganizationModel } from './model/organization-model.ts';
import { anyTag, TagList, type Tagged, type Tags } from './model/tags.ts';

/** A token that a client has. */
export interface ClientToken {
  organization: OrganizationModel;
  token: string;
  /** Number of the token in its organization. */
  id: number;
  scopes: readonly string[];
  /** Number of the invitation that it accepts. */
  invitation?: number;
}

/** First names. Some have the same form in a search. In code points `Ox\uFF21` comes first, in UTF-16 it does not. */
export const foreignNames = [
  ...['José', 'Jose\u0301', '李', 'Straße', 'STRASSE', 'Łuđø', 'Ox\uFF21', 'Ox\u{1F402}'],
] as const;

/** Words in several scripts and cases. Some are equal when compared. */
export const foreignWords: readonly string[] = [
  ...['Straße', 'STRASSE', 'strasse', 'STRAẞE', 'ΟΔΟΣ', 'οδος', 'οδοσ', 'Οδος'],
  ...['\u00E9t\u00E9', '\u00C9T\u00C9', 'e\u0301te\u0301', 'E\u0301T\u00E9', '水'],
];

/** Choices of the simulated clients. */
export interface Planner {
  draw: Draw;
  organization: OrganizationModel;
  /** All organizations of the run, including this one. */
  organizations: readonly OrganizationModel[];
  /** Probability that a choice falls on one of the few newest records. */
  hotness: number;
  /** Number of values to choose a unique one from. Fewer values cause more conflicts. */
  variety: number;
  /** Issued tokens of every organization. */
  tokens: ClientToken[];
  /** Tags that clients know. */
  tags: Tags;
}

/** Number of a record, usually of an existing record. */
export function someNumber({ draw, organization, hotness }: Planner, collection: string): number {
  const last = organization.lastOf(collection);
  if (last === 0 || draw.happens(0.03)) return last + draw.whole(1, 2);
  const stored = draw.happens(hotness) ? Math.max(1, last - draw.whole(0, 2)) : draw.whole(1, last);
  if (draw.happens(0.3)) return stored;
  for (let number = stored; number > 0; number--) if (organization.record(collection, number)) return number;
  return stored;
}

/** Id of a record; sometimes another organization's, or an impossible one. */
export function someId(planner: Planner, collection: string): string {
  const { draw, organization, organizations } = planner;
  if (draw.happens(0.02)) return draw.pick(organizations).idOf(collection, draw.whole(1, 3));
  if (draw.happens(0.01)) return organization.idOf(collection, 1).slice(0, -1);
  return organization.idOf(collection, someNumber(planner, collection));
}

/** A page of a list of this length, sometimes one past the end. */
export function somePage({ draw }: Planner, length: number): { page: number; limit: number } {
  if (draw.happens(0.3)) return { page: 1, limit: draw.pick([1, 2, 3, 5, 10, 50, 100]) };
  const limit = draw.whole(1, 8);
  return { page: draw.whole(1, Math.ceil(length / limit) + 1), limit };
}

/** A page as query parameters. */
export const asQuery = ({ page, limit }: { page: number; limit: number }) => ({
  page: String(page),
  limit: String(limit),
});

/** A word that occurs nowhere else, so that it can be searched for after an erasure (`Belongings`). */
export const someUniqueWord = ({ draw }: Planner): string => `~${draw.whole(1, 2 ** 40).toString(36)}~`;

/** Words of `someUniqueWord` in a text. */
export const uniqueWordsIn = (text: string): string[] => text.match(/~[0-9a-z]+~/g) ?? [];

/** Changes the case of a text, sometimes. */
export function inSomeCase({ draw }: Planner, text: string): string {
  return draw.weighted([
    [text, 3],
    [text.toUpperCase(), 1],
    [text.charAt(0).toUpperCase() + text.slice(1), 1],
  ]);
}

/** Condition of a client's request: that the record has, or does not have, a known tag. */
interface Condition {
  headers: Record<string, string>;
  tags: TagList;
}

/** Formats tags in the ways that clients and proxies write them. */
function written({ draw }: Planner, known: readonly Tagged[]): string {
  return known.map(({ tag }) => (draw.happens(0.1) ? `W/${tag}` : tag)).join(draw.pick([', ', ',', ' , ']));
}

/** Some of the tags that clients know of a record, usually the newest; sometimes tags of no record. */
function someTags({ draw, tags, organization }: Planner, kind: string, id: unknown): readonly Tagged[] {
  const known = tags.of(organization.code, kind, id);
  const none: Tagged = { tag: '"AAAAAAAAAAAAAAAAAAAAAA"', record: {} };
  return draw.weighted<readonly Tagged[]>([
    [known.length > 0 ? known.slice(-1) : [none], 6],
    [known.length > 0 ? known.slice(0, 1) : [none], 2],
    [[none, ...known], 1],
  ]);
}

/** `If-Match` of a change: current, outdated, or none. */
export function someIfMatch(planner: Planner, kind: string, id: unknown): Condition {
  const { draw } = planner;
  if (draw.happens(0.6)) return { headers: {}, tags: anyTag };
  if (draw.happens(0.1)) return { headers: { 'If-Match': '*' }, tags: anyTag };
  const known = someTags(planner, kind, id);
  return { headers: { 'If-Match': written(planner, known) }, tags: new TagList(known) };
}

/** `If-None-Match` of a read: tags of states that the client has, or none. */
export function someIfNoneMatch(
  planner: Planner,
  kind: string,
  id: unknown,
): { headers: Record<string, string>; tags: TagList | undefined } {
  if (planner.draw.happens(0.6)) return { headers: {}, tags: undefined };
  const known = someTags(planner, kind, id);
  return { headers: { 'If-None-Match': written(planner, known) }, tags: new TagList(known) };
}
