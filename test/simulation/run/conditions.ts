import { anyTag, TagList, type Tagged } from './model/tags.ts';
import type { Planner } from './planner.ts';

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
