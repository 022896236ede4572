import { expect } from 'vitest';
import { getInquiry } from '../../shared/domain/inquiries/inquiries.ts';
import { createLead } from '../../shared/domain/leads/leads.ts';
import { sendSms } from '../../shared/domain/sms/sms.ts';
import { events } from '../../shared/ledger/index.ts';
import type { StoredOrganization } from './stored-organization.ts';

/** A message that was left SENDING, and its inquiry. */
export interface LeftMessage {
  organization: StoredOrganization;
  inquiryId: string;
  messageId: string;
}

let leads = 0;

/** Sends an SMS to a new lead. Stores no outcome unless `recorded`: the message stays SENDING. */
export async function leaveSending(
  organization: StoredOrganization,
  { recorded = false } = {},
): Promise<LeftMessage> {
  const { ledger: before } = organization.openLedger();
  const phone = `+61491571${String(++leads).padStart(3, '0')}`;
  const lead = await createLead(before, { firstName: 'Ann', phone });
  const reported: unknown[] = [];
  const { inquiryId, messageId } = await sendSms(
    // A deadline that has passed, unless the outcome is to be stored.
    { before, after: organization.openLedger(recorded ? {} : { milliseconds: -1 }).ledger },
    {
      send: ({ context }) =>
        Promise.resolve({ status: 'SENT', providerId: `provider-${context['message']}` }),
      from: 'arn:aws:sms-voice:us-east-1:000000000000:pool/pool-1',
    },
    { userId: organization.userId, leadId: lead.id, message: 'We come at 3' },
    (error) => reported.push(error),
  );
  expect(reported).toHaveLength(recorded ? 0 : 1);
  return { organization, inquiryId, messageId };
}

/** Status of a message, as its inquiry shows it. */
export async function statusOf({
  organization,
  inquiryId,
  messageId,
}: LeftMessage): Promise<string | undefined> {
  const inquiry = await getInquiry(organization.openLedger().ledger, inquiryId);
  if (inquiry.source !== 'SMS') throw new Error('The inquiry is about no SMS');
  return inquiry.data.messages.find(({ id }) => id === messageId)?.status;
}

/** Newest events of an organization, newest first. */
export async function newestEvents(organization: StoredOrganization, limit: number) {
  return (await organization.openLedger().ledger.page(events, { page: 1, limit })).items;
}
