import type { Ledger, Write } from '../../ledger/index.ts';
import { cutText } from '../../core/cut-text.ts';
import { chooseFields, knownFields } from '../forms/choose-fields.ts';
import { fillInquiry, untilStored } from '../inquiries/fill-inquiry.ts';
import { addInquiry } from '../inquiries/inquiries.ts';
import { externalIdOf, inquiries } from '../inquiries/inquiry-record.ts';
import { calls } from '../inquiries/sources.ts';
import type { LeadChange } from '../leads/lead-change.ts';
import {
  contactsNotOf,
  leadOf,
  senderOf,
  senderReads,
  type Sender,
  type SenderRead,
} from '../leads/sender.ts';
import { callDataOf, mergedCall } from './call-data.ts';
import type { ReportedCall } from './reported-call.ts';

/** Number of inquiries that one key may add in a day, UTC: by calls and by forms together. */
export interface KeyLimit {
  keyId: number;
  maxPerDay: number;
}

/** Longest summary of an inquiry. */
const maxSummary = 2000;

/**
 * Stores a call as an inquiry, and finds or creates its lead, in one transaction. If an earlier event of the call was
 * stored, fills in what that event lacked, or stores nothing.
 * @param limit number of inquiries that one key may add in a day, UTC
 * @throws Failure `unavailable` if the inquiry is erased again and again meanwhile; `throttled` beyond `limit`
 */
export async function recordCall(ledger: Ledger, call: ReportedCall, limit?: KeyLimit): Promise<void> {
  const sender = await senderOfCall(ledger, call);
  await untilStored(() => record(ledger, call, sender, limit));
}

/** @returns false if the call's inquiry was erased after it was found */
function record(ledger: Ledger, call: ReportedCall, sender: Sender, limit?: KeyLimit): Promise<boolean> {
  const { change, holders } = senderReads(sender);
  const { platform, callId } = call;
  const stored = { collection: inquiries, unique: externalIdOf(callId, { platform }) };
  return ledger.write({ change, holders: { ...holders, stored } }, async (write, read) => {
    const data = callDataOf(call, write.now);
    if (read.stored !== undefined) return fill(ledger, write, read.stored, data, sender);
    if (limit) write.countToday({ kind: 'FORM', name: String(limit.keyId), max: limit.maxPerDay });
    const lead = await leadOfCall(ledger, write, call, { sender, ...read });
    addInquiry(write, lead, {
      source: 'CALL',
      data,
      summary: cutText(data.summary, maxSummary),
      externalId: callId,
      giver: { platform },
      ...contactsNotOf(lead, sender),
    });
    return true;
  });
}

/**
 * The lead with the number of the call, or a new lead. An email or a number that was only said finds no lead, because
 * anyone can say somebody else's.
 */
function leadOfCall(
  ledger: Ledger,
  write: Write,
  { phone }: ReportedCall,
  { sender, byEmail, byPhone }: SenderRead & { sender: Sender },
): Promise<LeadChange> {
  const { given, number } = sender;
  const { email = '' } = given;
  // A new lead gets only an email and a number that no other lead has.
  const free = {
    ...sender,
    given: { ...given, email: byEmail === undefined ? email : '' },
    number: byPhone === undefined ? number : '',
  };
  // Anyone who knows the key could claim to be somebody else: see `FillOptions`.
  return leadOf(ledger, write, free, { byPhone: phone === '' ? undefined : byPhone, fillsContacts: false });
}

async function fill(
  ledger: Ledger,
  write: Write,
  inquiryId: string,
  data: ReturnType<typeof callDataOf>,
  sender: Sender,
): Promise<boolean> {
  const outcome = await fillInquiry(ledger, write, inquiryId, {
    collection: calls,
    dataWith: (known) => mergedCall(known, data),
    summaryAfter: (before) => before || cutText(data.summary, maxSummary),
    sender,
  });
  return outcome !== 'gone';
}

/** Person who called or was called: by the number, and by findings that have the names of a lead's fields. */
function senderOfCall(ledger: Ledger, { phone, findings }: ReportedCall): Promise<Sender> {
  const { sender, phones } = chooseFields(knownFields(findings));
  const given = { ...sender, ...(phone !== '' && { phone }) };
  return senderOf(ledger, given, phone === '' ? phones : [phone]);
}
