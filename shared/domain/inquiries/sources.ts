import * as v from 'valibot';
import { CallData, ChatbotData, EmailData, WebformData, type Inquiry } from '../../contract/inquiries.ts';
import type { InquiryRecord } from './inquiry-record.ts';
import { addThread, readThread, type NewThread } from '../threads/threads.ts';
import type { Collection, Ledger, Write } from '../../ledger/index.ts';

/** The record of each source; an SMS inquiry has a message thread instead. */
export const calls = {
  name: 'CALL',
  label: 'call',
  prefix: 'call',
  schema: v.object(CallData.entries),
} as const satisfies Collection;
export const emails = {
  name: 'EMAIL',
  label: 'email',
  prefix: 'email',
  schema: v.object(EmailData.entries),
} as const satisfies Collection;
export const chats = {
  name: 'CHATBOT',
  label: 'chat',
  prefix: 'chatbot',
  schema: v.object(ChatbotData.entries),
} as const satisfies Collection;
export const forms = {
  name: 'WEBFORM',
  label: 'web form',
  prefix: 'webform',
  schema: v.object(WebformData.entries),
} as const satisfies Collection;

type WithoutId<S extends v.GenericSchema> = Omit<v.InferOutput<S>, 'id'>;

/** What a source recorded, before it is stored. */
export type NewSource =
  | { source: 'CALL'; data: WithoutId<typeof CallData> }
  | { source: 'EMAIL'; data: WithoutId<typeof EmailData> }
  | { source: 'CHATBOT'; data: WithoutId<typeof ChatbotData> }
  | { source: 'SMS'; data: NewThread }
  | { source: 'WEBFORM'; data: WithoutId<typeof WebformData> };

/** The part of a write that stores what a source recorded. Returns the id of that record. */
export function addSource(
  write: Write,
  of: { leadId: string; inquiryId: string },
  { source, data }: NewSource,
): string {
  switch (source) {
    case 'CALL':
      return write.append(calls, ({ id }) => ({ id, ...data })).record.id;
    case 'EMAIL':
      return write.append(emails, ({ id }) => ({ id, ...data })).record.id;
    case 'CHATBOT':
      return write.append(chats, ({ id }) => ({ id, ...data })).record.id;
    case 'SMS':
      return String(addThread(write, of, data).id);
    case 'WEBFORM':
      return write.append(forms, ({ id }) => ({ id, ...data })).record.id;
  }
}

/** An inquiry with what its source recorded. One round trip. */
export async function withData(ledger: Ledger, record: InquiryRecord): Promise<Inquiry> {
  const { externalId, source, sourceId, ...inquiry } = record;
  switch (source) {
    case 'CALL':
      return { ...inquiry, source, data: await ledger.getNamed(ledger.ref(calls, sourceId)) };
    case 'EMAIL':
      return { ...inquiry, source, data: await ledger.getNamed(ledger.ref(emails, sourceId)) };
    case 'CHATBOT':
      return { ...inquiry, source, data: await ledger.getNamed(ledger.ref(chats, sourceId)) };
    case 'SMS':
      return { ...inquiry, source, data: await readThread(ledger, sourceId) };
    case 'WEBFORM':
      return { ...inquiry, source, data: await ledger.getNamed(ledger.ref(forms, sourceId)) };
  }
}
