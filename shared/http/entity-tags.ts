/** Tags in quotes, weak ones too, separated by commas (RFC 9110, section 8.8.3). */
const listOfTags = /^(?:[\s,]*(?:W\/)?"[^"]*"\s*(?=,|$))+[\s,]*$/;

/** Whether a text is what `If-Match` and `If-None-Match` can be: `*`, or a list of tags. */
export const isTagList = (text: string): boolean => text.trim() === '*' || listOfTags.test(text);

/**
 * Whether a list of tags has this one. `W/"a"` and `"a"` are the same here: what compresses an answer on its way may
 * make its tag weak, and the tag stands for what the body says, not for its bytes.
 */
export function listsTag(list: string, tag: string): boolean {
  const opaque = tag.replace(/^W\//, '');
  return list.trim() === '*' || (list.match(/"[^"]*"/g)?.includes(opaque) ?? false);
}
