import type { Change } from '../model/change.ts';
import { optOutOf } from '../model/opt-outs.ts';
import type { Fields } from '../same.ts';
import { inActivities } from './leads.ts';

/** An opt-out of a number from SMS, or an opt-in. */
interface Word {
  phone: string;
  /** Number of the lead with that phone number; undefined if there is none. */
  lead: number | undefined;
  isOut: boolean;
  at: string;
}

/** Opts a number and its lead out or in. Returns true if that changes the number. */
export function noteOptOut(change: Change, word: Word): boolean {
  const { phone, isOut, at } = word;
  const known = optOutOf(change, phone);
  if (known ? String(known['createdAt']) >= at : !isOut) return false;
  tell(change, word, store(change, known, word));
  return !isOut || known === undefined;
}

/** Counts a reply to HELP for a number. Returns false if the number has opted out and had its reply. */
export function noteHelp(change: Change, phone: string): boolean {
  const known = optOutOf(change, phone);
  if (known?.['isHelped'] === true) return false;
  if (known) change.replace('OPTOUT', Number(known['id']), { ...known, isHelped: true });
  return true;
}

/** Stores the opt-out and returns its number. */
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
