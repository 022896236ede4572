import { isDeepStrictEqual } from 'node:util';
import type { Verdict } from './change.ts';
import { listOf, objectOf, textsOf, type Json } from './json.ts';

/** Compares the tokens that an operation takes: each that was enough must still be. */
export function compareSecurity(before: Json, after: Json): { verdict: Verdict; text: string }[] {
  const [old, now] = [waysIn(before), waysIn(after)];
  if (isDeepStrictEqual(old, now)) return [];
  const shut = old.find((had) => !now.some((needed) => isEnough(had, needed)));
  if (!shut) return [{ verdict: 'addition', text: `it takes ${words(now)}, and took ${words(old)}.` }];
  const advice = "Clients with today's tokens would be refused: ask for no more than before.";
  return [{ verdict: 'break', text: `it takes ${words(now)}, and took ${words(old)}. ${advice}` }];
}

/** The alternatives, each with what it asks for: `bearer read` for the scope `read` of the scheme `bearer`. */
const waysIn = ({ security }: Json): string[][] => {
  const ways = listOf(security).map((way) =>
    Object.entries(objectOf(way)).flatMap(([scheme, scopes]) => [
      scheme,
      ...textsOf(scopes).map((scope) => `${scheme} ${scope}`),
    ]),
  );
  return ways.length > 0 ? ways : [[]];
};

const isEnough = (had: string[], needed: string[]) => needed.every((each) => had.includes(each));

const words = (ways: string[][]) => ways.map(wordsOf).join(' or ');

function wordsOf(way: string[]): string {
  const most = way.filter((each) => !way.some((other) => other.startsWith(`${each} `)));
  return most.join(' and ') || 'no token';
}
