import * as v from 'valibot';
import { ErrorReason, sentences } from '../../contract/errors.ts';
import type { LocalText } from './local-text.ts';
import type { ApiAnswer } from './sending.ts';

/** Sentence for an agent that calls without a valid token. */
export const noToken =
  'There is no valid token. The operator of the service issues one; put it into the configuration of this MCP server as the ' +
  'header "Authorization: Bearer sk_…".';

/** True for the refusal of a time that is taken. */
const isTaken = (message?: string): boolean =>
  message === sentences.notFree || message === sentences.nobodyFree;

/** Body of every error: the envelope, or the message alone. */
const Refusal = v.object({ message: v.string(), error: v.optional(ErrorReason) });

/**
 * Tells a model why the API refused, and what to change.
 * @param argumentOf arguments of the tool by the names that the API has for them
 * @param at shows times
 */
export function refusalText(
  { status, headers, body }: ApiAnswer,
  argumentOf: Readonly<Record<string, string>>,
  at: LocalText,
): string {
  if (status === 401) return noToken;
  const { message, error } = v.parse(v.fallback(Refusal, { message: `The API answered ${status}` }), body);
  const wait = headers.get('retry-after');
  // Fields are at the beginning, or at the end of "cannot be combined with".
  const inWordsOfTool = (sentence: string) =>
    sentence.replaceAll(
      /(?<=^|with |or )[\w.]+/g,
      (word) => argumentOf[word] ?? word.replace(/^(lead|address)\.(?=.)/, ''),
    );
  const lines = [
    inWordsOfTool(error?.message ?? message),
    // The other free times say more.
    ...(isTaken(error?.message) ? [] : (error?.details ?? [])).map((detail) =>
      inWordsOfTool(`${detail.field} ${detail.message}`.trim()),
    ),
    ...(error?.existingId === undefined ? [] : [`The record that has it: ${error.existingId}`]),
    ...(error?.alternatives ?? []).map(
      ({ say, start, userIds }) => `Free: ${say}: start ${at(start)}, userId ${userIds[0] ?? ''}`,
    ),
    ...(status === 403 ? ['Another token can have that scope; the operator of the service issues it.'] : []),
    ...(status >= 500 || status === 429
      ? [
          `Call again with the same arguments${wait === null ? '' : ` in ${wait} seconds`}: nothing is done twice.`,
        ]
      : []),
  ];
  // The message of a 400 repeats the first detail.
  return [...new Set(lines)].join('\n');
}
