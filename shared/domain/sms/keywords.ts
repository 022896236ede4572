export type Keyword = 'STOP' | 'START' | 'HELP';

/**
 * Keywords that AWS requires of a number that manages its own opt-outs, and others with a plain meaning.
 * https://docs.aws.amazon.com/sms-voice/latest/userguide/opt-out-list-keywords.html
 */
const keywords: Record<Keyword, readonly string[]> = {
  STOP: [
    'ARRET',
    'CANCEL',
    'END',
    'OPT OUT',
    'OPTOUT',
    'QUIT',
    'REMOVE',
    'REVOKE',
    'STOP',
    'STOP ALL',
    'STOPALL',
    'TD',
    'UNSUBSCRIBE',
  ],
  START: ['START', 'UNSTOP'],
  HELP: ['HELP', 'INFO'],
};

const asked = new Map<string, Keyword>(
  (['STOP', 'START', 'HELP'] as const).flatMap((keyword) =>
    keywords[keyword].map((word) => [word, keyword] as const),
  ),
);

/** Invisible characters, diacritics, hyphens, and control characters that are no spaces. */
const withinWords = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{M}\p{Pd}]|(?!\s)\p{Cc}/gu;

/**
 * The keyword that a text consists of. Ignored are case, hyphens and invisible characters inside it, and
 * spaces, punctuation and symbols (emoji among them) around it.
 */
export function keywordOf(text: string): Keyword | undefined {
  const letters = text.normalize('NFKD').replaceAll(withinWords, '').toUpperCase();
  const words = letters.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
  return asked.get(words.join(' '));
}

/** Characters of an organization's name in an answer. */
const nameLength = 60;

/** The text that answers a keyword. */
export function answerTo(keyword: Keyword, organizationName: string): string {
  const name = Array.from(organizationName).slice(0, nameLength).join('');
  switch (keyword) {
    case 'STOP':
      return `${name}: You will get no more texts from us. Reply START to get them again.`;
    case 'START':
      return `${name}: You will get texts from us again. Reply STOP to get no more.`;
    case 'HELP':
      return `${name}: Reply STOP to get no more texts from us, START to get them again.`;
  }
}
