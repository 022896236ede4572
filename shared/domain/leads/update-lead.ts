import { isDeepStrictEqual } from 'node:util';
import type { Lead, LeadChanges } from '../../contract/leads.ts';
import { mustNotBeEmpty } from '../../contract/fields.ts';
import type { ChangeConditions } from '../../core/change-conditions.ts';
import { invalid } from '../../core/failure.ts';
import { merge } from '../../core/merge.ts';
import type { Ledger, RecordRef, Write } from '../../ledger/index.ts';
import { changedFields } from '../events/changed-fields.ts';
import { recordEvent } from '../events/record-event.ts';
import { isOptedOut, optOut } from '../opt-outs/opt-outs.ts';
import { changedToE164 } from '../phone/phone-number.ts';
import { leads, namesOf, placeWith, toLead, type LeadRecord } from './lead-record.ts';
import { optOutRefusal } from './opt-out-refusal.ts';
import { countLead, pipelineRead } from './pipeline-record.ts';

/**
 * Changes a lead. One transaction, or none if nothing changes. `refuseOutdated` gets the lead before the change, as
 * the API shows it.
 * @throws Failure `notFound`; as `refuseOutdated` does; `invalid` for the phone number, for a first name that becomes
 * empty, and as `optOutRefusal`
 * @throws Failure `conflict` if another live lead has the email, phone number or `externalId`
 */
export function updateLead(
  ledger: Ledger,
  leadId: string,
  changes: LeadChanges,
  { refuseOutdated }: ChangeConditions<Lead> = {},
): Promise<Lead> {
  const ref = ledger.ref(leads, leadId);
  const change = { lead: ref, ...(changes.status !== undefined && { pipeline: pipelineRead }) };
  return ledger.write({ change }, async (write, { lead }) => {
    refuseOutdated?.(toLead(lead));
    return toLead(await changeLead(write, ref, lead, changes));
  });
}

/**
 * Changes a lead, as part of a write that has read it, and the pipeline if the changes have a status. Returns the
 * changed lead. Stores nothing if nothing changes. Throws as `updateLead` does.
 */
export async function changeLead(
  write: Write,
  ref: RecordRef<typeof leads>,
  lead: LeadRecord,
  { isOptedOut: asked, ...changes }: LeadChanges,
): Promise<LeadRecord> {
  const after = await changed(write, lead, changes);
  const refusal = optOutRefusal(asked, after);
  if (refusal) throw refusal;
  const optsOut = asked === true && !after.isOptedOut;
  const isChanged = !isDeepStrictEqual(after, lead);
  if (!isChanged && !optsOut) return lead;
  const stored = { ...after, isOptedOut: after.isOptedOut || optsOut, updatedAt: write.now };
  write.replace(ref, stored);
  if (after.status !== lead.status) countLead(write, after.status);
  if (isChanged) recordChange(write, ref, { before: lead, after });
  if (optsOut) {
    await optOut(write, after.phone);
    recordEvent(write, { event: 'LEAD_OPTED_OUT', about: lead.id }, [ref]);
  }
  return stored;
}

async function changed(
  write: Write,
  lead: LeadRecord,
  { name, phone, ...changes }: Omit<LeadChanges, 'isOptedOut'>,
): Promise<LeadRecord> {
  if (name === '' && changes.firstName === undefined && changes.lastName === undefined)
    throw invalid([{ field: 'name', message: mustNotBeEmpty }]);
  const names = name ? namesOf({ name, ...changes }) : {};
  const number = await changedToE164(phone, lead.phone, write.country);
  const after = merge(lead, { ...changes, ...placeWith(lead, changes), ...names, phone: number });
  if (after.firstName === '' && lead.firstName !== '')
    throw invalid([{ field: 'firstName', message: mustNotBeEmpty }]);
  if (after.phone === lead.phone) return after;
  return { ...after, isOptedOut: await isOptedOut(write, after.phone) };
}

/** Records the events of a change. Marking a lead as read or unread, alone, is no activity. */
function recordChange(
  write: Write,
  ref: RecordRef<typeof leads>,
  { before, after }: { before: LeadRecord; after: LeadRecord },
): void {
  const about = before.id;
  const { status: from, read } = before;
  const { status: to } = after;
  const isUpdated = !isDeepStrictEqual({ ...after, status: from, read }, before);
  const all = changedFields(toLead(before), toLead(after));
  const others = all.filter((name) => name !== 'status');
  if (isUpdated) recordEvent(write, { event: 'LEAD_UPDATED', about, fields: others }, [ref]);
  if (from !== to) {
    const fields = isUpdated ? ['status'] : all;
    recordEvent(write, { event: 'LEAD_STATUS_CHANGED', about, values: { from, to }, fields }, [ref]);
  }
  if (!isUpdated && from === to)
    recordEvent(write, { event: 'LEAD_MARKED', about, variant: after.read ? 'read' : 'unread' });
}
