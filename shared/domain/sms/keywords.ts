import { clausesIn, consistsOf, wordsIn } from './clauses.ts';
import { clearWish, courtesy, aside, shortWish, withCourtesies } from './said-patterns.ts';

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

/** STOP and START among courtesies. HELP has none: people who write "Help please" ask for something else. */
const amongCourtesies = (['STOP', 'START'] as const).map((keyword) => {
  const pattern = withCourtesies(keywords[keyword].join('|').toLowerCase());
  return [keyword, (said: string) => pattern.test(said)] as const;
});

const isWish = (said: string): boolean => clearWish.test(said) || shortWish.test(said);

/** The keyword of a text. `isAll`: the text consists of it. */
export interface SaidKeyword {
  keyword: Keyword;
  isAll: boolean;
}

/**
 * Finds the keyword of a text. The text consists of the keyword. Ignored are case, hyphens and invisible characters
 * inside the keyword, and spaces, punctuation and symbols (emoji among them) around it. STOP and START may have courtesies
 * and a signature around them. A wish to stop in other words, as `stop-phrases.ts` has them, is a STOP. A clear wish may be
 * a part of the text.
 */
export function keywordIn(text: string): SaidKeyword | undefined {
  const exact = asked.get(wordsIn(text).join(' ').toUpperCase());
  if (exact) return { keyword: exact, isAll: true };
  const clauses = clausesIn(text);
  for (const [keyword, isKeyword] of amongCourtesies)
    if (consistsOf(clauses, isKeyword, courtesy)) return { keyword, isAll: true };
  if (consistsOf(clauses, isWish, aside)) return { keyword: 'STOP', isAll: true };
  return clauses.some(({ said }) => clearWish.test(said)) ? { keyword: 'STOP', isAll: false } : undefined;
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
