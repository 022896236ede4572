import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../../../infra/root.ts';
import { keywordIn } from '../../../../shared/domain/sms/keywords.ts';
import {
  asides,
  courtesies,
  wordsAfter,
  wordsBefore,
  wordsBeforeClear,
  type clearPhrases,
  type shortPhrases,
} from '../../../../shared/domain/sms/stop-phrases.ts';

const keywordsOf = (texts: readonly string[]) =>
  texts.map((text) => {
    const { keyword, isAll } = keywordIn(text) ?? {};
    return isAll === false ? `${text}: a part` : `${text}: ${keyword ?? 'none'}`;
  });
const all = (texts: readonly string[], keyword: string) => texts.map((text) => `${text}: ${keyword}`);

test.each([
  [
    'STOP',
    [
      ...[
        'STOP',
        'stop',
        ' Stop. ',
        '"STOP!"',
        'Arrêt',
        'opt-out',
        'optout',
        'TD',
        'Unsubscribe\n',
        'end',
        'quit',
      ],
      ...[
        'STOPALL',
        'cancel',
        'remove',
        'Revoke',
        'Opt  out',
        'stop all',
        'STOP 🙏🏽',
        '✋ stop ❤️',
        '\u200bSTOP\ufeff',
      ],
      ...[
        '\u2066STOP\u2069',
        '\u200fSTOP.\u200f',
        'STOP\u0000',
        'ST\u0000OP',
        'S\u00adT\u2060O\ufeffP',
        'OPT\u2011OUT',
      ],
      ...['ST\u2010OP', 'opt\u2212out', '\u3164STOP\u115f', 'Stop, all.'],
    ],
  ],
  ['START', ['START', 'unstop', 'Start!', 'Start please', 'Hi, START. Thanks, Ann']],
  ['HELP', ['HELP', 'info', 'help?']],
  ['none', ['', '!', 'st op', '👍', 'constructor', 'no', 'Stop 1', 'Help please', 'Info please']],
])('%s is the keyword of these texts: %j', (keyword, texts) => {
  expect(keywordsOf(texts)).toEqual(all(texts, keyword));
});

test('STOP may have courtesies and a signature around it', () => {
  const texts = [
    // reported
    'Stop. Thank you',
    // more of them
    ...[
      'Please stop',
      'STOP pls!',
      'Hi Ann, stop',
      'Good morning. Please stop. Regards',
      'Cancel please',
      'stop stop stop',
    ],
    ...[
      'stop—thanks',
      'Stop\nSent from my iPhone',
      'STOP\n\nSent from Outlook for Android',
      'Stop\nGet Outlook for iOS',
    ],
    ...[
      'Stop. Thanks, Ann',
      'Stop thanks ann lee',
      'STOP - Ann',
      'Stop\nann',
      'Stop. Ann Lee',
      'Unsubscribe\n--\nAnn Lee, Director',
    ],
    ...['Stop.\nKind regards\nAnn van Lee\nLee and Sons\nM: 0491 570 156\nann@lee.example\nwww.lee.example'],
    ...[
      'Ok just stop',
      'No thanks, stop',
      'Not interested. Stop',
      'Wrong number - stop',
      'STOPPP',
      'I said stop',
      'Stop now!',
    ],
    ...['Can you please stop', 'I never signed up for this. Stop.', 'Thanks for the quote you sent. Stop'],
  ];
  expect(keywordsOf(texts)).toEqual(all(texts, 'STOP'));
});

type Phrase = (typeof clearPhrases)[number] | (typeof shortPhrases)[number];

/** Texts with each phrase. */
const examples: Record<Phrase, readonly string[]> = {
  'stop/quit/cease TEXTING [ME]': [
    // reported
    'please stop texting me',
    // more of them
    ...[
      'Stop texting',
      'QUIT MESSAGING US',
      'Can you stop texting me?',
      'Wrong number, stop contacting me',
      'pls stop txting',
    ],
    ...[
      'Hi Ann please stop texting me',
      'Stop texting me or I will report you',
      'You can stop texting me now',
      'stop spamming me',
    ],
    ...['Stop texting this number, thanks Bob', 'I want you to stop texting me all the time'],
  ],
  'stop/quit/cease sending [ME] [THEM]': ['Stop sending me these', 'quit sending me stuff'],
  'stop/quit/cease sending [ME] [THESE] TEXTS': ['Stop sending me your messages', 'stop sending texts'],
  'stop/quit/cease [with] [THESE] TEXTS': [
    'Stop the texts',
    'stop all messages',
    'stop sms',
    'Stop with these texts already',
  ],
  'stop getting/receiving [THESE] TEXTS': [
    'I want to stop getting these texts',
    'How do I stop receiving messages?',
  ],
  'cease and desist': ['Cease and desist!'],
  'cancel/end [THESE] texts/messages/sms/subscription': ['Cancel my subscription', 'end these texts'],
  'NOT TEXT [ME]': [
    'Don’t text me again',
    'DO NOT CONTACT ME',
    'Dont ever message us',
    'Please do not text this number',
  ],
  'NOT bother/spam ME': ['Don´t bother me any more'],
  'NOT send ME [THEM]': ['do not send me anything'],
  'NOT send [ME] [THESE] TEXTS': ["Please don't send any more texts"],
  'no more TEXTS': ['No more texts please'],
  'no texts/sms': ['No texts, thanks'],
  '[I] NOT WANT [THESE] TEXTS': ["I don't want your texts", 'we do not want any more messages'],
  '[I] NOT WANT to get/receive [THESE] TEXTS': ['I do not wish to receive texts'],
  '[I] NOT WANT to be texted/messaged/contacted': ['I don’t want to be contacted'],
  '[I] NOT WANT to be on LIST': ['I do not want to be on your list'],
  '[I] NOT WANT you to TEXT ME': ['I don’t want you to text me'],
  '[I] no longer WANT [THESE] TEXTS': ['I no longer want these texts'],
  '[I] no longer WANT to get/receive [THESE] TEXTS': ['We no longer wish to receive your messages'],
  'I/MAY UNSUBSCRIBE': ['I want to unsubscribe', 'How do I unsubscribe?', 'I unsubscribe'],
  'UNSUBSCRIBE ME': [
    // reported
    'Unsubscribe me',
    // more of them
    ...['Please unsubscribe me, thanks', 'unsub me'],
  ],
  'UNSUBSCRIBE [ME] [from] LIST': [
    'Unsubscribe me from this list',
    'unsubscribe from your texts',
    'Unsubscribe all',
  ],
  'I/MAY opt out': ['I would like to opt out', 'Can I opt out?'],
  '[IM] opting out': ["I'm opting out"],
  'opt ME out': ['Opt me out please'],
  'opt [ME] out of/from LIST': ['Opt out of these texts', 'opt us out of your list'],
  'take ME off': ['Please take me off'],
  'take/remove/delete/get ME off/from/out [of] LIST': [
    ...[
      'Take me off your list',
      'Could you take us off the mailing list',
      'Remove me from your database',
      'get me off this list',
    ],
    ...['take my number off of your list', 'Remove my details from your contacts'],
  ],
  'remove/delete/block ME': ['Kindly remove me', 'Delete my number'],
  'put/add ME on/to [your/the] do not call/contact/text list': ['Put me on your do not text list'],
  'leave ME alone': ['Leave me alone!'],
  'lose/forget my number': ['Lose my number'],
  '[I] revoke/withdraw [my] consent': ['I revoke my consent'],
  'stop [it/this/that]': ['Stop it', 'please stop this'],
  'stop all': ['Please stop all'],
  UNSUBSCRIBE: ['Sorry, unsubscribe please'],
  'opt out': ['Not interested, opt out'],
  optout: ['Please optout, wrong number'],
  'go away': ['Go away'],
};

test.each(Object.entries(examples))('"%s" is a wish to stop', (_, texts) => {
  expect(texts).not.toEqual([]);
  expect(keywordsOf(texts)).toEqual(all(texts, 'STOP'));
});

test('a clear wish counts among other words', () => {
  for (const text of [
    'The roof is fine. Please stop texting me.',
    'Call me instead, don’t text me',
    'Bus stop\ntake me off your list',
  ])
    expect(keywordIn(text)).toEqual({ keyword: 'STOP', isAll: false });
});

test('these are no wishes to stop', () => {
  const texts = [
    // reported
    ...['Can you stop by at 5?', "the tap won't stop"],
    // more of them
    ...[
      'Stop by at 5',
      'Do not stop',
      'Please don’t stop the work',
      'hey dont stop',
      'Non-stop!',
      'bus stop',
      'STOP\nby at 5',
    ],
    ...[
      'Stop the water please',
      'Stop. I mean come tomorrow',
      'stop at the shop',
      'Please stop the machine',
      'I will stop in',
    ],
    ...[
      'Cancel my appointment',
      'Cancel tomorrow please',
      'Cancel. See you Friday',
      'CANCEL. CALL ME',
      'End of the street',
    ],
    ...[
      'Remove the old tank please',
      'Take me off at the corner',
      'Can you take me off the waiting list',
      'Drop me off',
    ],
    ...[
      'Why don’t you text me?',
      'Don’t text me before 8',
      'Please text me',
      'No message',
      'Don’t bother',
      'Lose the number plate',
    ],
    ...[
      'Reply STOP to opt out',
      'Opt out: reply STOP',
      'The unsubscribe link does not work',
      'Stop please come back at 5',
    ],
    ...['Thanks, will stop by', 'Start on Monday please', 'Leave me a message', 'Stop work until Monday'],
  ];
  expect(keywordsOf(texts)).toEqual(all(texts, 'none'));
});

test('the guide lists what counts, and what does not', () => {
  const guide = readFileSync(join(root, 'docs/guides/text-messages.md'), 'utf8');
  const [, chapter = ''] = /\n### A wish to stop\n([^]*)/.exec(guide) ?? [];
  const quoted = (text: string) => Array.from(text.matchAll(/`([^`]+)`/g), ([, one = '']) => one);
  const rows = chapter.split('\n').filter((line) => line.startsWith('| '));
  const wishes = rows.flatMap(quoted);
  const others = quoted(/do not count:([^]*?)\.\s+If/.exec(chapter)?.[1] ?? '');
  expect([rows.length, others.length]).toEqual([10, 5]);
  expect(keywordsOf(wishes)).toEqual(all(wishes, 'STOP'));
  expect(keywordsOf(others)).toEqual(all(others, 'none'));
});

test('a keyword is found among any amount of punctuation, in time linear in the length of the text', () => {
  const padding = '-. !\n'.repeat(50_000);
  expect(keywordIn(`${padding}Stop${padding}`)).toEqual({ keyword: 'STOP', isAll: true });
  expect(keywordIn(`stop${padding}it`)).toBe(undefined);
});

test('no two words of a repeated group are equal: such a pattern takes exponential time', () => {
  for (const words of [
    [courtesies, asides, wordsBefore, wordsBeforeClear],
    [courtesies, asides, wordsBefore, wordsAfter],
  ]) {
    const choices = words.join('|').split('|');
    expect(choices.filter((one, at) => choices.indexOf(one) !== at)).toEqual([]);
  }
});
