/**
 * Shows a model the text of somebody outside the business, in one line between « and ». The line has no placeholders
 * such as `{{name}}`, no invisible characters, and no characters that change the direction of writing. So the text
 * cannot look like another line of the answer, a template fills nothing in, and only the last mark ends it. An empty
 * text stays empty. A second time changes nothing.
 */
export function fromStranger(text: string): string {
  const line = text
    .toWellFormed()
    .replaceAll(/[\p{Cf}\p{Default_Ignorable_Code_Point}«»]/gu, '')
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .replaceAll('{', '(')
    .replaceAll('}', ')')
    .trim();
  return line === '' ? '' : `«${line}»`;
}

/** True if a text ends within the text of a stranger. */
export const endsInside = (text: string): boolean => text.lastIndexOf('«') > text.lastIndexOf('»');
