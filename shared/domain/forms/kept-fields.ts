import type { SentField } from '../../contract/sent-form.ts';
import { cutText } from '../../core/cut-text.ts';
import { fitFields, maxBytesOfNames } from './fit-fields.ts';
import { maxNameLength } from './flatten-json.ts';

/** Maximum number of fields that a form keeps. The body of `createInquiry` may have the same number. */
export const maxFields = 200;

/** Names that every JavaScript object inherits, and that JSON readers drop. */
const inherited: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Values by the names of their fields. Values of fields with the same name are joined. */
export const joinedFields = (fields: readonly SentField[]): Map<string, string> =>
  new Map(
    [...Map.groupBy(fields, ({ name }) => keptName(name))].map(([name, alike]) => [name, joinedOf(alike)]),
  );

const joinedOf = (alike: readonly SentField[]): string => alike.map(({ value }) => value).join(', ');

/**
 * The fields of a form that its inquiry keeps, cut by `fitFields`. Values of fields with the same name are joined. If
 * there are more than `maxFields`, or their names have no room, the last field joins all fields that are left over.
 *
 * @param isKnown true for a field that need not be kept, because the lead has its value
 */
export function keptFields(
  { fields, unread }: { fields: readonly SentField[]; unread: number },
  isKnown: (field: SentField) => boolean,
): Record<string, string> {
  const named = Map.groupBy(fields, ({ name }) => keptName(name));
  const kept = [...named]
    .filter(([, alike]) => !alike.every(isKnown))
    .map(([name, alike]) => [name, joinedOf(alike)] as const);
  const fitting = fittingOf(kept);
  const isAll = unread === 0 && kept.length <= Math.min(maxFields, fitting);
  const own = isAll ? kept : kept.slice(0, Math.min(maxFields - 1, fitting));
  const all = new Map(own);
  if (!isAll) all.set(freeName(all), inOne(kept.slice(own.length), unread));
  return Object.fromEntries(fitFields(all));
}

function keptName(name: string): string {
  const cut = cutText(name, maxNameLength);
  if (cut === '') return '(no name)';
  return inherited.has(cut) ? `${cut} (field)` : cut;
}

/** Number of fields, counted from the first, that fit into `maxBytesOfNames` with their names. */
function fittingOf(fields: readonly (readonly [name: string, value: string])[]): number {
  let left = maxBytesOfNames;
  const beyond = fields.findIndex(([name]) => (left -= Buffer.byteLength(name)) < 0);
  return beyond === -1 ? fields.length : beyond;
}

/** An unused name for the field that holds the rest. */
function freeName(taken: ReadonlyMap<string, string>, name = '_more'): string {
  return taken.has(name) ? freeName(taken, `${name}_`) : name;
}

function inOne(fields: readonly (readonly [name: string, value: string])[], unread: number): string {
  const lines = fields.map(([name, value]) => `${name}: ${value}`);
  return [...lines, ...(unread > 0 ? [`and ${unread} more, not kept`] : [])].join('\n');
}
