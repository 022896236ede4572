import type { Fields } from '../same.ts';
import type { Change } from './change.ts';

/** Opt-out of a number in E.164; undefined if there is none, or for `""`. */
export function optOutOf(change: Change, phone: unknown): Fields | undefined {
  const { organization } = change;
  if (phone === '' || change.count('OPTOUT') === 0) return undefined;
  const name = organization.uniqueName('OPTOUT.numberHash', change.hashed(String(phone)));
  const held = organization.history(name).last;
  return held && organization.record('OPTOUT', Number(held.fields['id']));
}

/** True if a number, in E.164 or `""`, has opted out of SMS. */
export const isOptedOut = (change: Change, phone: unknown): boolean => optOutOf(change, phone) !== undefined;
