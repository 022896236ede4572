import type { Change } from '../model/change.ts';
import { optOutOf } from '../model/opt-outs.ts';
import type { Fields } from '../same.ts';
import { inActivities } from './leads.ts';

/** That a number wants no SMS, or wants them again. */
interface Word {
  phone: string;
  /** The number of the lead that has it; undefined where none has. */
  lead: number | undefined;
  isOut: boolean;
  /** When that was said. */
  at: string;
}

/** Opts a number out, or in again, and its lead. Tells whether the number is then what it was not. */
export function noteOptOut(change: Change, word: Word): boolean {
  const { phone, isOut, at } = word;
  const known = optOutOf(change, phone);
  if (known ? String(known['createdAt']) >= at : !isOut) return false;
  tell(change, word, store(change, known, word));
  return !isOut || known === undefined;
}

/** Notes that a number gets an answer to HELP; false where it has opted out and had it. */
export function noteHelp(change: Change, phone: string): boolean {
  const known = optOutOf(change, phone);
  if (known?.['isHelped'] === true) return false;
  if (known) change.replace('OPTOUT', Number(known['id']), { ...known, isHelped: true });
  return true;
}

/** Gives the number of the opt-out. */
function store(change: Change, known: Fields | undefined, { phone, isOut, at }: Word): number {
  if (!known) {
    const numberHash = change.hashed(phone);
    return Number(change.append('OPTOUT', (id) => ({ id, numberHash, createdAt: at }))['id']);
  }
  const number = Number(known['id']);
  if (isOut) change.replace('OPTOUT', number, { ...known, createdAt: at });
  else change.remove('OPTOUT', number);
  return number;
}

function tell(change: Change, { lead, isOut }: Word, optOut: number): void {
  const [out, again] = isOut ? ['OUT', 'out of SMS'] : ['IN', 'in to SMS again'];
  if (lead === undefined) {
    change.event(`NUMBER_OPTED_${out}`, `A number that no lead has opted ${again}`, optOut);
    return;
  }
  const before = change.get('LEAD', lead)!;
  if (before['isOptedOut'] === isOut) return;
  change.replace('LEAD', lead, { ...before, isOptedOut: isOut, updatedAt: change.now });
  const activity = inActivities(change.organization, lead);
  change.event(`LEAD_OPTED_${out}`, `The lead opted ${again}`, String(before['id']), [activity]);
}
