import { findContracts } from '../../infra/functions.ts';
import { openApiDocument } from '../../infra/open-api/open-api.ts';
import { failures, sentences } from '../../shared/contract/errors.ts';
import { eventKinds } from '../../shared/contract/events.ts';
import { timeZoneRule } from '../../shared/contract/organization-settings.ts';
import { scopes } from '../../shared/contract/scopes.ts';
import { webhookTypes } from '../../shared/contract/webhooks.ts';
import { leavesOf } from './json-leaves.ts';

/** Least length of a value: shorter ones are found in many words. */
const minLength = 6;
/** Most characters of a value that are searched for, so that a value that was cut is found too. */
const maxLength = 24;
/** Ids, codes, times and dates that the service makes. */
const given = /^(?:[a-z]+_[0-9A-Z]{16}|[0-9A-Z]{8}|\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?)$/;
/** A word in lower case, or a word of a transcript, with its space: sentences in logs are made of these. */
const plainWord = /^ ?[a-z]+$/;
/**
 * A word that may be the name of a person or a suburb. The search for it respects case, because sentences
 * have the same word in lower case.
 */
const word = /^\p{L}+$/u;

/**
 * Selects the texts of clients and of the table that may be private. Leaves out values that the service made,
 * words of the API (names and values of fields, paths, sentences of errors), plain words, and short texts.
 */
export function privateOf(texts: readonly string[]): Set<string> {
  const found = new Set<string>();
  for (const text of texts) {
    const isOurs = given.test(text) || plainWord.test(text);
    const value = text.slice(0, maxLength);
    if (text.length >= minLength && !isOurs && !ownWords.includes(value.trim().toLowerCase()))
      found.add(value);
  }
  return found;
}

/**
 * Selects the values that occur in a log. A phone number counts also with other spaces, or without its
 * country.
 */
export function valuesIn(logged: string, values: Iterable<string>): string[] {
  const lowerCased = logged.toLowerCase();
  // Only what people write between digits: ports and positions of a stack trace, run together, have any number.
  const digits = logged.replaceAll(/[ ().+-]/g, '');
  return [...values].filter((value) => {
    if (word.test(value) ? logged.includes(value) : lowerCased.includes(value.toLowerCase())) return true;
    const number = /^[+0][\d ().-]{7,}$/.test(value) ? value.replaceAll(/\D/g, '').slice(-8) : '';
    return number.length === 8 && digits.includes(number);
  });
}

/**
 * Words of the API: names and values in its description without examples and prose, and the rule that names a
 * time zone. Also sentences of errors, scopes and events, and the names of events in webhooks.
 */
const ownWords = await (async () => {
  const description = openApiDocument(await findContracts());
  const { names, texts, others } = leavesOf(
    [description, failures, sentences, timeZoneRule, scopes, Object.keys(eventKinds), webhookTypes],
    /^(?:examples?|description|summary)$/,
  );
  return [...names, ...texts, ...others].join('\n').toLowerCase();
})();
