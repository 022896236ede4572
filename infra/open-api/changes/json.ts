import { isDeepStrictEqual } from 'node:util';

/** An object of a description, of which nothing is known yet. */
export type Json = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The object, or an empty one where there is none. */
export const objectOf = (value: unknown): Json => (isObject(value) ? value : {});
/** The list, or an empty one where there is none. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
/** The texts of a list. */
export const textsOf = (value: unknown): string[] =>
  listOf(value).filter((each): each is string => typeof each === 'string');

/** What only tells something, and rules out nothing. */
const isAnnotation = (key: string) =>
  key.startsWith('x-') ||
  ['description', 'summary', 'title', 'example', 'examples', 'deprecated', '$comment'].includes(key);

/** The keys of either object that differ, less annotations and those that are compared elsewhere. */
export const differingKeys = (
  before: Json,
  after: Json,
  elsewhere: readonly string[],
  isSame: (old: unknown, now: unknown) => boolean = isDeepStrictEqual,
): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (key) => !isAnnotation(key) && !elsewhere.includes(key) && !isSame(before[key], after[key]),
  );

/** An object with further rules beside it. A rule that both have is kept apart, so that neither is lost. */
export function withRules(schema: Json, rules: Json): Json {
  const merged: Record<string, unknown> = {};
  for (const [key, rule] of Object.entries(rules)) {
    const isSecond = key in schema && !isAnnotation(key) && !isDeepStrictEqual(schema[key], rule);
    merged[isSecond ? `a second ${key}` : key] = rule;
  }
  return { ...schema, ...merged };
}
