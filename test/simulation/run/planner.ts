import type { Draw } from './draw.ts';
import { foreignWords } from './model/case-folding.ts';
import type { OrganizationModel } from './model/organization-model.ts';
import type { Tags } from './model/tags.ts';
import type { Fields } from './same.ts';
import type { ClientToken } from './tokens.ts';

/** What clients choose from. */
export interface Planner {
  draw: Draw;
  organization: OrganizationModel;
  /** All of the run, this one included. */
  organizations: readonly OrganizationModel[];
  /** How likely a choice falls on one of a few records. */
  hotness: number;
  /** How many values there are to choose a unique one from: the fewer, the more conflicts. */
  variety: number;
  /** Tokens that were issued, of every organization. */
  tokens: ClientToken[];
  /** What clients know of the tags of records. */
  tags: Tags;
}

/** The number of a record, mostly of one that was stored; now and then of one that was not. */
export function someNumber({ draw, organization, hotness }: Planner, collection: string): number {
  const last = organization.lastOf(collection);
  if (last === 0 || draw.happens(0.03)) return last + draw.whole(1, 2);
  if (draw.happens(hotness)) return Math.max(1, last - draw.whole(0, 2));
  return draw.whole(1, last);
}

/** The id of a record; now and then of another organization, or of none that could be. */
export function someId(planner: Planner, collection: string): string {
  const { draw, organization, organizations } = planner;
  if (draw.happens(0.02)) return draw.pick(organizations).idOf(collection, draw.whole(1, 3));
  if (draw.happens(0.01)) return organization.idOf(collection, 1).slice(0, -1);
  return organization.idOf(collection, someNumber(planner, collection));
}

/** A page of a list that is so long, now and then one past its end. */
export function somePage({ draw }: Planner, length: number): { page: number; limit: number } {
  if (draw.happens(0.3)) return { page: 1, limit: draw.pick([1, 2, 3, 5, 10, 50, 100]) };
  const limit = draw.whole(1, 8);
  return { page: draw.whole(1, Math.ceil(length / limit) + 1), limit };
}

/** A page as it stands in a query. */
export const asQuery = ({ page, limit }: { page: number; limit: number }) => ({
  page: String(page),
  limit: String(limit),
});

/** A word that nobody else writes, by which something is known wherever it is stored (`Belongings`). */
export const someUniqueWord = ({ draw }: Planner): string => `~${draw.whole(1, 2 ** 40).toString(36)}~`;

/** A name of few: this word in some case, or one in another script, with a number. */
export function someName(planner: Planner, word: string): string {
  const { draw, variety } = planner;
  const first = draw.happens(0.6) ? inSomeCase(planner, word) : draw.pick(foreignWords);
  return `${first} ${draw.whole(1, variety)}`;
}

/** What a client sends for fields that it gives, with a null here and there for one that it may leave out. */
export function withNulls({ draw }: Planner, given: Fields, ...optional: readonly string[]): Fields {
  const nulls = optional.filter((name) => !(name in given) && draw.happens(0.04));
  return { ...given, ...Object.fromEntries(nulls.map((name) => [name, null])) };
}

/** A line of text as some clients send it: what stands around it is dropped. */
export const inSpace = ({ draw }: Planner, text: string): string =>
  draw.happens(0.05) ? `  ${text}\u00A0` : text;

/** A text in another case, now and then. */
export function inSomeCase({ draw }: Planner, text: string): string {
  return draw.weighted([
    [text, 3],
    [text.toUpperCase(), 1],
    [text.charAt(0).toUpperCase() + text.slice(1), 1],
  ]);
}
