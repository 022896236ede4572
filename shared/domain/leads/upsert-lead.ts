import { notMatched, type Lead, type LeadMatch, type LeadUpsert } from '../../contract/leads.ts';
import type { ChangeConditions } from '../../core/change-conditions.ts';
import { invalid } from '../../core/failure.ts';
import type { Ledger } from '../../ledger/index.ts';
import { toE164 } from '../phone/phone-number.ts';
import { leads, toLead } from './lead-record.ts';
import { addLead, uniqueOf } from './leads.ts';
import { pipelineRead } from './pipeline-record.ts';
import { changeLead } from './update-lead.ts';

/** A lead, and whether it is new. */
export interface UpsertedLead {
  lead: Lead;
  isNew: boolean;
}

/**
 * Changes the live lead that has the input's value of `match`, as `updateLead` does, or creates a lead. One
 * transaction, or none if nothing changes. `refuseOutdated` gets the lead before the change, as the API shows it, or
 * undefined if there is no such lead.
 * @throws Failure `invalid` if the input lacks that value, for the phone number, and as `optOutRefusal`; as
 * `refuseOutdated` does
 * @throws Failure `conflict` if another live lead has another of the input's unique values
 */
export async function upsertLead(
  ledger: Ledger,
  match: LeadMatch,
  input: LeadUpsert,
  { refuseOutdated }: ChangeConditions<Lead | undefined> = {},
): Promise<UpsertedLead> {
  const value = input[match];
  if (!value) throw invalid([{ field: match, message: notMatched }]);
  const leadId = { collection: leads, unique: await uniqueOf(ledger, match, value) };
  return ledger.write(
    { change: { pipeline: pipelineRead }, holders: { leadId } },
    async (write, { leadId }) => {
      const ref = leadId === undefined ? undefined : ledger.ref(leads, leadId);
      const lead = ref && (await write.read(ref, { mayStayUnchanged: true }));
      refuseOutdated?.(lead && toLead(lead));
      if (ref && lead) return { lead: toLead(await changeLead(write, ref, lead, input)), isNew: false };
      // If the holder was deleted meanwhile, the head has moved on, and the write is built again.
      const phone = input.phone ? await toE164(input.phone, write.country) : '';
      const { record } = await addLead(write, { ...input, phone });
      return { lead: toLead(record), isNew: true };
    },
  );
}
