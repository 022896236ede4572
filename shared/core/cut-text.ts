/** The beginning of a text, of at most `max` Unicode code points, as well-formed text. Looks at no more of it than that. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text.toWellFormed();
  return Array.from(text.slice(0, 2 * max), (character) => character.toWellFormed())
    .slice(0, max)
    .join('');
}
