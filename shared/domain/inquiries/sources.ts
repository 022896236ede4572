import * as v from 'valibot';
import { CallData, ChatbotData, EmailData, WebformData } from '../../contract/inquiry-data.ts';
import type { Inquiry } from '../../contract/inquiries.ts';
import type { Collection, Ledger, RecordRef, Write } from '../../ledger/index.ts';
import { addThread, readThread, threads, type NewThread } from '../threads/threads.ts';
import { toFields, type InquiryRecord } from './inquiry-record.ts';

/** The record of each source. An SMS inquiry has a message thread instead. */
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

/** Data of a source before it is stored. */
export type SourceToStore =
  | { source: 'CALL'; data: WithoutId<typeof CallData> }
  | { source: 'EMAIL'; data: WithoutId<typeof EmailData> }
  | { source: 'CHATBOT'; data: WithoutId<typeof ChatbotData> }
  | { source: 'SMS'; data: NewThread }
  | { source: 'WEBFORM'; data: WithoutId<typeof WebformData> };

type SourceOf<I> = I extends Inquiry ? Pick<I, 'source' | 'data'> : never;
/** Data of a source, as the API shows it. */
export type Source = SourceOf<Inquiry>;

/** Stores the data of a source, as part of a write. */
export function addSource(
  write: Write,
  of: { leadId: string; inquiryId: string },
  { source, data }: SourceToStore,
): Source {
  switch (source) {
    case 'CALL':
      return { source, data: write.append(calls, ({ id }) => ({ id, ...data })).record };
    case 'EMAIL':
      return { source, data: write.append(emails, ({ id }) => ({ id, ...data })).record };
    case 'CHATBOT':
      return { source, data: write.append(chats, ({ id }) => ({ id, ...data })).record };
    case 'SMS':
      return { source, data: addThread(write, of, data) };
    case 'WEBFORM':
      return { source, data: write.append(forms, ({ id }) => ({ id, ...data })).record };
  }
}

/** Data of an inquiry's source. One round trip. */
export async function readSource(
  ledger: Ledger,
  { source, sourceId }: Pick<InquiryRecord, 'source' | 'sourceId'>,
): Promise<Source> {
  switch (source) {
    case 'CALL':
      return { source, data: await ledger.getReferenced(ledger.ref(calls, sourceId)) };
    case 'EMAIL':
      return { source, data: await ledger.getReferenced(ledger.ref(emails, sourceId)) };
    case 'CHATBOT':
      return { source, data: await ledger.getReferenced(ledger.ref(chats, sourceId)) };
    case 'SMS':
      return { source, data: await readThread(ledger, sourceId) };
    case 'WEBFORM':
      return { source, data: await ledger.getReferenced(ledger.ref(forms, sourceId)) };
  }
}

/** Key of the record that holds the data of an inquiry's source. */
export const sourceRef = (
  ledger: Ledger,
  { source, sourceId }: Pick<InquiryRecord, 'source' | 'sourceId'>,
): RecordRef => ledger.ref(sources[source], sourceId);

/** Collection with the data of each source. */
export const sources = {
  CALL: calls,
  EMAIL: emails,
  CHATBOT: chats,
  SMS: threads,
  WEBFORM: forms,
} as const satisfies Record<SourceToStore['source'], Collection>;

/** An inquiry as its single read shows it. */
export const toInquiry = (record: InquiryRecord, recorded: Source): Inquiry => ({
  ...toFields(record),
  ...shownSource(recorded),
});

function shownSource(recorded: Source): Source {
  switch (recorded.source) {
    case 'CALL':
      return { ...recorded, data: { ...recorded.data, fields: sorted(recorded.data.fields) } };
    case 'WEBFORM':
      return { ...recorded, data: { ...recorded.data, fields: sorted(recorded.data.fields) } };
    case 'EMAIL':
    case 'CHATBOT':
    case 'SMS':
      return recorded;
  }
}

/** DynamoDB does not keep the order of fields, so they are sorted. */
function sorted(fields: Record<string, string>): Record<string, string> {
  const { compare } = new Intl.Collator('en', { numeric: true });
  return Object.fromEntries(Object.entries(fields).toSorted(([a], [b]) => compare(a, b)));
}
