/** What a text that is a keyword asks for. */
export type Keyword = 'STOP' | 'START' | 'HELP';

/**
 * The keywords, as AWS requires them of a number that manages its opt-outs itself, and what else is plainly meant so.
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

/** Marks that nobody sees, marks on letters, hyphens, and control characters that are no spaces. */
const withinWords = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{M}\p{Pd}]|(?!\s)\p{Cc}/gu;

/**
 * What a text asks for, if a keyword is all of it, whatever its case, what is within it of hyphens and of characters that nobody
 * sees, and how much is around it of spaces, punctuation and symbols (emoji among them).
 */
export function keywordOf(text: string): Keyword | undefined {
  const letters = text.normalize('NFKD').replaceAll(withinWords, '').toUpperCase();
  const words = letters.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
  return asked.get(words.join(' '));
}

/** How much of an organization's name an answer holds. */
const nameLength = 60;

/** What a keyword is answered with. */
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
