import { isDeepStrictEqual } from 'node:util';
import { isObject, objectOf, withRules, type Json } from './json.ts';

export type Description = Json;

/** A part of a description, with the name of the component that it is. */
export interface Resolved {
  name?: string;
  part: Json;
}

/** Follows references. @throws Error for one that leads nowhere */
export function resolve(description: Description, part: unknown): Resolved {
  const { $ref, ...rules } = objectOf(part);
  if (typeof $ref !== 'string') return { part: rules };
  const keys = $ref.replace('#/', '').split('/');
  const target = keys.reduce<unknown>((at, key) => objectOf(at)[key], description);
  if (!isObject(target)) throw new Error(`${$ref} leads nowhere`);
  const { part: resolved } = resolve(description, target);
  return { name: keys.at(-1) ?? $ref, part: withRules(resolved, rules) };
}

/** Whether two parts say the same, what they refer to included. */
export const sameIn = (before: Description, after: Description) => (old: unknown, now: unknown) =>
  isDeepStrictEqual(expand(before, old), expand(after, now));

function expand(description: Description, part: unknown, within: readonly string[] = []): unknown {
  if (Array.isArray(part)) return part.map((each) => expand(description, each, within));
  if (!isObject(part)) return part;
  const { $ref } = part;
  if (typeof $ref === 'string')
    return within.includes($ref)
      ? part
      : expand(description, resolve(description, part).part, [...within, $ref]);
  return Object.fromEntries(
    Object.entries(part).map(([key, each]) => [key, expand(description, each, within)]),
  );
}

/** An operation and how it is called. */
export interface DescribedOperation {
  name: string;
  /** Such as `GET /v1/leads/{leadId}`. */
  route: string;
  operation: Json;
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** The operations by method and path, whatever the parameters in the path are called. */
export function operationsOf({ paths }: Description): Map<string, DescribedOperation> {
  const operations = new Map<string, DescribedOperation>();
  for (const [path, item] of Object.entries(objectOf(paths))) {
    for (const method of methods) {
      const operation = objectOf(item)[method];
      if (!isObject(operation)) continue;
      const route = `${method.toUpperCase()} ${path}`;
      const { operationId } = operation;
      const name = typeof operationId === 'string' ? operationId : route;
      operations.set(route.replaceAll(/\{\w+\}/g, '{}'), { name, route, operation });
    }
  }
  return operations;
}

/** What paths say beside their operations, by path. */
export const restOfPaths = ({ paths }: Description): Json =>
  Object.fromEntries(
    Object.entries(objectOf(paths)).flatMap(([path, item]) => {
      const rest = Object.entries(objectOf(item)).filter(([key]) => !methods.includes(key));
      return rest.length > 0 ? [[path, Object.fromEntries(rest)]] : [];
    }),
  );
