/**
 * The beginning of a text: at most `max` Unicode code points, well-formed. Its time depends on `max`, not on
 * the text's length.
 */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text.toWellFormed();
  return Array.from(text.slice(0, 2 * max), (character) => character.toWellFormed())
    .slice(0, max)
    .join('');
}
