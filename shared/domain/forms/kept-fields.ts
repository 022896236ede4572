import type { SentField } from '../../contract/sent-form.ts';
import { cutText } from '../../core/cut-text.ts';
import { fitFields, maxBytesOfNames } from './fit-fields.ts';
import { maxNameLength } from './flatten-json.ts';

/** How many fields a form keeps, as an inquiry that another system hands over. */
const maxFields = 200;

/** Names that every object of JavaScript has, and that readers of JSON drop. */
const inherited: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * What an inquiry keeps of the fields of a form: of several with one name all, those that are more than `maxFields`, or
 * whose names have no room, together in one, and all of it cut to `fitFields`.
 *
 * @param isHad whether a field need not be kept, since the lead has what it says
 */
export function keptFields(
  { fields, unread }: { fields: readonly SentField[]; unread: number },
  isHad: (field: SentField) => boolean,
): Record<string, string> {
  const named = Map.groupBy(fields, ({ name }) => keptName(name));
  const kept = [...named]
    .filter(([, alike]) => !alike.every(isHad))
    .map(([name, alike]) => [name, alike.map(({ value }) => value.toWellFormed()).join(', ')] as const);
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

/** Number of the fields that have room for their names. */
function fittingOf(fields: readonly (readonly [name: string, value: string])[]): number {
  let left = maxBytesOfNames;
  const beyond = fields.findIndex(([name]) => (left -= Buffer.byteLength(name)) < 0);
  return beyond === -1 ? fields.length : beyond;
}

/** A name for what has no field of its own. */
function freeName(taken: ReadonlyMap<string, string>, name = '_more'): string {
  return taken.has(name) ? freeName(taken, `${name}_`) : name;
}

function inOne(fields: readonly (readonly [name: string, value: string])[], unread: number): string {
  const lines = fields.map(([name, value]) => `${name}: ${value}`);
  return [...lines, ...(unread > 0 ? [`and ${unread} more, not kept`] : [])].join('\n');
}
