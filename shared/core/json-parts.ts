import { readable } from './readable.ts';

/** Part of a JSON value by its path; undefined if there is none. */
export function partAt(value: unknown, ...path: readonly string[]): unknown {
  let part = value;
  for (const name of path) {
    if (typeof part !== 'object' || part === null || !Object.hasOwn(part, name)) return undefined;
    part = Reflect.get(part, name);
  }
  return part;
}

/** Text at a path, without the characters that a request may not have; `""` if there is no text. */
export function textAt(value: unknown, ...path: readonly string[]): string {
  const part = partAt(value, ...path);
  return typeof part === 'string' ? readable(part) : '';
}

/** Finite number at a path; undefined if there is no such number. */
export function numberAt(value: unknown, ...path: readonly string[]): number | undefined {
  const part = partAt(value, ...path);
  return typeof part === 'number' && Number.isFinite(part) ? part : undefined;
}

/** Items of an array at a path, or none. */
export function listAt(value: unknown, ...path: readonly string[]): unknown[] {
  const part = partAt(value, ...path);
  return Array.isArray(part) ? part : [];
}
