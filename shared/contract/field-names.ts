import type { LeadFieldName } from './field-map.ts';

/** Fields that people and programs name in many ways. */
export type NamedField = LeadFieldName | 'message';

/** A field name as people write it: `First Name`, `first_name` and `firstName` are equal. */
export const foldedName = (name: string): string => name.toLowerCase().replaceAll(/[\s_-]/g, '');

/** Words that say nothing about the field, such as `your` in `your-email`. */
const fillers: ReadonlySet<string> = new Set(
  'your my our the a an please required optional mandatory best preferred input txt fld'.split(' '),
);
/** Beginning of a question, in words, such as `what is` in "What is your name?". */
const asking = /^(?:what(?: s| is| are)? |enter |provide |leave |give us |tell us )+/;

const person =
  '(?:contact|customer|client|lead|person|visitor|guest|sender|applicant|respondent|caller|homeowner|tenant|from|billing)';
const kind = `(?:${person}|user|primary|main|home|work|business|personal|private|daytime)`;
const business = '(?:business|company|organi[sz]ation|trading|firm)';
const town = '(?:suburb|city|town|locality)';
const place = `(?:${person}|job|service|property|site|project|home|address)`;
const phone = '(?:telephone|phone|mobile|mob|cellular|cell|handphone|landline|whatsapp|tel|ph)';
const reach = 'to(?:call|reach|contact|text)(?:you)?(?:on|at|by)?';
const topic = '(?:job|project|work|service|problem|issue)';
const text =
  '(?:message|comment|note|enquiry|enquirie|inquiry|inquirie|query|querie|question|detail|remark|request|description|' +
  'feedback|textarea|body)';
const more = '(?:additional|further|other|any|more|general|short|brief)';

/** Patterns of names, as one word without fillers, in lower case. The first that matches counts. */
const patterns = (
  [
    ['businessName', `(?:${business}(?:or|and)?)+(?:names?)?|nameof${business}`],
    ['firstName', `${person}?(?:first|given|fore|christian)names?|fname|${person}?names?(?:first|given)`],
    ['lastName', `${person}?(?:last|sur|family|second)names?|lname|${person}?names?(?:last|family)`],
    [
      'name',
      `${person}?(?:full|complete|whole)?names?(?:full)?|(?:first)?(?:name)?(?:and|or)?(?:last|sur|family)name|nameandsurname`,
    ],
    ['email', `${kind}*e?mails?(?:address|addresses|id)?${kind}?`],
    [
      'phone',
      `${kind}*${phone}+(?:numbers?|no|nos|num|nr|nbr)?(?:${kind}|${reach})?|(?:contact|callback)(?:numbers?|no|num)|number${reach}`,
    ],
    ['suburb', `${place}*${town}(?:(?:or|and)?${town})*(?:name)?`],
    [
      'message',
      `(?:${more}|${topic}|${person})*${text}s?(?:(?:or|and)?${text}s?)*(?:text|content|of${topic}|about${topic})?|` +
        `${more}(?:info|information)|(?:how)?(?:can|may|could)we(?:help|assist|do)(?:for)?(?:you)?(?:with)?(?:today)?|` +
        `(?:more)?about${topic}|do(?:you)?need(?:help)?(?:with)?`,
    ],
  ] as const satisfies readonly (readonly [NamedField, string])[]
).map(([field, pattern]) => ({ field, pattern: new RegExp(`^(?:${pattern})$`) }));

/** Maximum length of a name that is looked at. */
const maxLength = 200;

/**
 * The field that a name means, as people and programs write it: `your-email`, `Mobile no.`, "What is your name?",
 * `q3_fullName`. A part in parentheses counts only if it is needed: `Name (First)`, but `Phone (e.g. 0491 570 156)`.
 */
export function fieldNamed(name: string): NamedField | undefined {
  if (name.length > maxLength) return undefined;
  return meaningOf(name) ?? meaningOf(name.replaceAll(/\([^()]*\)/g, ''));
}

function meaningOf(name: string): NamedField | undefined {
  const words = wordsIn(name).filter((word) => !fillers.has(word));
  const all = words.join(' ').replace(asking, '').replaceAll(' ', '');
  return patterns.find(({ pattern }) => pattern.test(all))?.field;
}

/** Words of letters, in lower case; also of `fullName`. Form builders put a number or `et_pb` before their names. */
const wordsIn = (name: string): string[] =>
  name
    .replace(/^(?:q\d+|et_pb)_/i, '')
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .match(/\p{L}+/gu) ?? [];
