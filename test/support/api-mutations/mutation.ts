import type { Part } from './description.ts';

export type Verdict = 'break' | 'unjudged' | 'addition' | 'nothing';

/** A change of the API, and what the comparison is to call it. */
export interface Mutation {
  name: string;
  verdict: Verdict;
  change: (api: Part) => unknown;
  /** Why oasdiff does not call it breaking where the comparison does, or the reverse. */
  unlikeOasdiff?: string;
}

const mutation =
  (verdict: Verdict) =>
  (name: string, change: (api: Part) => unknown, unlikeOasdiff?: string): Mutation => ({
    name,
    verdict,
    change,
    ...(unlikeOasdiff !== undefined && { unlikeOasdiff }),
  });

export const breaks = mutation('break');
export const unjudged = mutation('unjudged');
export const adds = mutation('addition');
export const nothing = mutation('nothing');

/** Why the two differ. */
export const unlikeOasdiff = {
  ordered:
    'It looks at what is sent. Some generated clients take parameters in the order of the description.',
  named: 'It looks at what is sent. Here names count, too: generated clients are made of them.',
  defaults: 'It calls that information. Clients that leave the parameter out get something else.',
  passedOver: 'It says nothing of that.',
  firstToken: 'It takes the first requirement for one more alternative.',
  lastToken: 'It takes that for one alternative less. Nothing is asked for any more.',
  notation: 'It takes another notation of the same values for others.',
  ignored: 'It calls that information. What clients send would be ignored.',
  waitedFor: 'It calls that information. Here, it breaks the client that waits for what is gone.',
  expected: 'It warns. Here, clients are told to expect new values.',
  firstValues: 'It takes them for new values. Any text could come before.',
  anyText: 'It sees values go, and not that any other may come.',
  formats: 'It calls that information. Generated clients have another type.',
  discriminators: 'It calls that information. Here, a person must judge.',
  successes: 'It calls that information. Clients tell successes by their status.',
};
