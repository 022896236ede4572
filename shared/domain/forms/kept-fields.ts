import type { SentField } from '../../contract/sent-form.ts';
import { cutText } from './cut-text.ts';
import { fitFields } from './fit-fields.ts';
import { maxNameLength } from './flatten-json.ts';

/** How many fields a form keeps, as an inquiry that another system hands over. */
const maxFields = 200;

/** Names that every object of JavaScript has, and that readers of JSON drop. */
const inherited: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * What an inquiry keeps of the fields of a form: of several with one name all, those with more than `maxFields` names together in
 * one, and all of it cut to what an item holds.
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
  const isAll = kept.length <= maxFields && unread === 0;
  const own = isAll ? kept : kept.slice(0, maxFields - 1);
  const all = new Map(own);
  if (!isAll) all.set(freeName(all), inOne(kept.slice(own.length), unread));
  return Object.fromEntries(fitFields(all));
}

function keptName(name: string): string {
  const cut = cutText(name, maxNameLength);
  if (cut === '') return '(no name)';
  return inherited.has(cut) ? `${cut} (field)` : cut;
}

/** A name for what has no field of its own. */
function freeName(taken: ReadonlyMap<string, string>, name = '_more'): string {
  return taken.has(name) ? freeName(taken, `${name}_`) : name;
}

function inOne(fields: readonly (readonly [name: string, value: string])[], unread: number): string {
  const lines = fields.map(([name, value]) => `${name}: ${value}`);
  return [...lines, ...(unread > 0 ? [`and ${unread} more, not kept`] : [])].join('\n');
}
