// All words are in lower case and without apostrophes. A stroke divides one choice from another.

/** Words that fill the places of the phrases. */
export const places: Readonly<Record<string, string>> = {
  I: 'i|we',
  IM: 'im|i am|we are',
  ME: 'me|us|this number|my number|this phone|my phone|my details',
  TEXT: 'text|txt|message|msg|sms|contact',
  TEXTING: 'texting|txting|messaging|contacting|spamming|bothering|harassing',
  TEXTS: 'texts?|txts?|messages?|msgs?|sms|text messages?|spam',
  THESE: 'the|these|those|all|all the|all these|any|any more|anymore|more|your|my',
  THEM: 'this|these|those|them|anything|stuff|things',
  NOT: 'dont|do not|dont ever|do not ever|never',
  WANT: 'want|wish|need',
  MAY: 'i want to|i would like to|id like to|i wish to|i need to|can i|may i|let me|how do i|how can i|how to',
  UNSUBSCRIBE: 'unsubscribe|unsuscribe|unsubcribe|unsub',
  LIST:
    '(?:your|this|the|that|any|all) (?:(?:mailing|contact|call|phone|text|sms|marketing|customer) )?(?:lists?|contacts)|' +
    '(?:(?:your|this|the|these|all) )?(?:database|records|system|texts|messages|sms)|' +
    'this|these|them|all|everything|list',
};

/**
 * Phrases that ask for no more texts, whatever else the text says. A word in capitals is a place. `[word]` can be left
 * out, and `one/other` is either word.
 */
export const clearPhrases = [
  'stop/quit/cease TEXTING [ME]',
  'stop/quit/cease sending [ME] [THEM]',
  'stop/quit/cease sending [ME] [THESE] TEXTS',
  'stop/quit/cease [with] [THESE] TEXTS',
  'stop getting/receiving [THESE] TEXTS',
  'cease and desist',
  'cancel/end [THESE] texts/messages/sms/subscription',
  'NOT TEXT [ME]',
  'NOT bother/spam ME',
  'NOT send ME [THEM]',
  'NOT send [ME] [THESE] TEXTS',
  'no more TEXTS',
  'no texts/sms',
  '[I] NOT WANT [THESE] TEXTS',
  '[I] NOT WANT to get/receive [THESE] TEXTS',
  '[I] NOT WANT to be texted/messaged/contacted',
  '[I] NOT WANT to be on LIST',
  '[I] NOT WANT you to TEXT ME',
  '[I] no longer WANT [THESE] TEXTS',
  '[I] no longer WANT to get/receive [THESE] TEXTS',
  'I/MAY UNSUBSCRIBE',
  'UNSUBSCRIBE ME',
  'UNSUBSCRIBE [ME] [from] LIST',
  'I/MAY opt out',
  '[IM] opting out',
  'opt ME out',
  'opt [ME] out of/from LIST',
  'take ME off',
  'take/remove/delete/get ME off/from/out [of] LIST',
  'remove/delete/block ME',
  'put/add ME on/to [your/the] do not call/contact/text list',
  'leave ME alone',
  'lose/forget my number',
  '[I] revoke/withdraw [my] consent',
] as const;

/** Phrases that ask for no more texts if the text says nothing else. */
export const shortPhrases = [
  'stop [it/this/that]',
  'stop all',
  'UNSUBSCRIBE',
  'opt out',
  'optout',
  'go away',
] as const;

export const greetings = 'hi|hello|hey|dear|gday|good morning|good afternoon|good evening';
export const pleas = 'please|pls|plz|plse|kindly';
export const thanks = 'thanks|thank you|thank u|thankyou|many thanks|thx|tnx|ty|ta|cheers';

/** Courtesies that change nothing in front of a keyword or a phrase, or behind it. */
export const courtesies =
  `${greetings}|${pleas}|${thanks}|hi there|hey there|bye|goodbye|sir|mate|` +
  'regards|kind regards|best regards|best wishes|yours|sincerely';

/** Words that change nothing in front of a phrase, or behind it. */
export const asides =
  'ok|okay|not interested|im not interested|i am not interested|we are not interested|' +
  'wrong number|you have the wrong number|this is the wrong number|wrong person|' +
  'i didnt sign up for this|i did not sign up for this|i never signed up for this';

/** Words that change nothing in front of a phrase. */
export const wordsBefore =
  'yes|no|just|so|and|but|seriously|sorry|i said|for the last time|' +
  'can you|could you|will you|would you|you must|you need to|you have to|' +
  'i want you to|i would like you to|id like you to|i need you to|i asked you to|i told you to';

/** Words that change nothing in front of a clear phrase. */
export const wordsBeforeClear = `${places['MAY'] ?? ''}|you can|you may`;

/** Words that change nothing behind a phrase. */
export const wordsAfter =
  'now|right now|immediately|at once|asap|already|again|ever|any more|anymore|forever|for good|from now on|in future|' +
  'in the future|at all|all the time|every day|here|from you|at this number|on this number|to this number';

/** Words behind a clear phrase that begin an explanation or a threat. Anything can follow them. */
export const explaining = 'or|because|cos|this is|its|it is|i am|im|you are|you have';
