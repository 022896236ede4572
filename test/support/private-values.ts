import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../infra/functions.ts';
import { failures, sentences } from '../../shared/contract/errors.ts';
import { eventKinds } from '../../shared/contract/events.ts';
import { scopes } from '../../shared/contract/scopes.ts';
import { leavesOf } from './json-leaves.ts';

/** Shorter values are found in many a word. */
const minLength = 6;
/** How much of a value is looked for, so that one that was cut is found too. */
const maxLength = 24;
/** Ids, codes, times and dates that the service gives. */
const given = /^(?:[a-z]+_[0-9A-Z]{16}|[0-9A-Z]{8}|\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?)$/;
/** A word in lower case: sentences of the logs are made of such. */
const plainWord = /^[a-z]+$/;
/** A word with a capital letter, such as the name of a person or a suburb: sentences have the same in lower case. */
const word = /^\p{L}+$/u;

/**
 * What may be private of the texts that clients sent, or that are stored: all but what the service gave, words of the API's
 * own (the names and values of fields, paths, sentences of errors), plain words, and what is too short.
 */
export function privateOf(texts: readonly string[]): Set<string> {
  const found = new Set<string>();
  for (const text of texts) {
    const isOurs = given.test(text) || plainWord.test(text);
    const value = text.slice(0, maxLength);
    if (text.length >= minLength && !isOurs && !ownWords.includes(value.toLowerCase())) found.add(value);
  }
  return found;
}

/** The values that are in what was logged; a phone number also with other spaces, or without its country. */
export function valuesIn(logged: string, values: Iterable<string>): string[] {
  const lowerCased = logged.toLowerCase();
  const digits = logged.replaceAll(/[^\d\n]/g, '');
  return [...values].filter((value) => {
    if (word.test(value) ? logged.includes(value) : lowerCased.includes(value.toLowerCase())) return true;
    const number = /^[+0][\d ().-]{7,}$/.test(value) ? value.replaceAll(/\D/g, '').slice(-8) : '';
    return number.length === 8 && digits.includes(number);
  });
}

/** Of the description of the API, what is no example and no prose; what errors say, scopes and events. */
const ownWords = (() => {
  const description: unknown = JSON.parse(readFileSync(join(root, 'docs/openapi.json'), 'utf8'));
  const { names, texts, others } = leavesOf(
    [description, failures, sentences, scopes, Object.keys(eventKinds)],
    /^(?:examples?|description|summary)$/,
  );
  return [...names, ...texts, ...others].join('\n').toLowerCase();
})();
