const title = String.raw`(?:mr|mrs|ms|miss|mx|dr|prof|professor|rev|reverend|sir|dame|herr|frau|mme|mlle)\.?`;
/** Matches titles, also of a couple ("Mr & Mrs"), then a word, then the rest. */
const wordsOfName = new RegExp(
  String.raw`^((?:${title}\s+(?:(?:&|and)\s+(?=${title}\s))?)*)(\S+)(?:\s+(.*))?$`,
  'isu',
);

const legalForm = String.raw`(?:inc|ltd|limited|pty|llc|llp|plc|corp|gmbh)`;
const suffix = new RegExp(
  String.raw`^(?:${legalForm}|co|jr|sr|junior|senior|esq|ph\.?d|md|mba|ii|iii|iv)(?:[.\s]|$)`,
  'iu',
);
/** Matches a name before a comma that is not a person's last name. */
const isOfBusiness = new RegExp(String.raw`&|\+|\sand\s|\s${legalForm}\.?$`, 'iu');

/**
 * Splits a whole name into first and last name: at its first space after titles, or at its only comma, behind which the
 * first name stands. A comma in the name of a business, or before a suffix such as Jr, is part of the name.
 */
export function halvesOf(name: string): [firstName: string, lastName: string] {
  const [last = '', first = '', ...more] = name.split(/[,，]/).map((part) => part.trim());
  const isReversed = last !== '' && first !== '' && more.length === 0;
  if (isReversed && !suffix.test(first) && !isOfBusiness.test(last)) return [first, last];
  const [, titles = '', word = '', rest = ''] = wordsOfName.exec(name.trim()) ?? [];
  // A single word behind a title is the last name.
  return titles !== '' && rest === '' ? [titles.trim(), word] : [titles + word, rest.trim()];
}
