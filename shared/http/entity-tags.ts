/** Matches tags in quotes, strong or weak, separated by commas (RFC 9110, section 8.8.3). */
const listOfTags = /^(?:[\s,]*(?:W\/)?"[^"]*"\s*(?=,|$))+[\s,]*$/;

/** True if a string is a valid `If-Match` or `If-None-Match`: `*`, or a list of tags. */
export const isTagList = (text: string): boolean => text.trim() === '*' || listOfTags.test(text);

/**
 * True if a list of tags has this one. `W/"a"` and `"a"` count as the same: compression on the way may make a
 * tag weak, and the tag stands for what the body says, not for its bytes.
 */
export function listsTag(list: string, tag: string): boolean {
  const opaque = tag.replace(/^W\//, '');
  return list.trim() === '*' || (list.match(/"[^"]*"/g)?.includes(opaque) ?? false);
}
