import type { NewInquiry } from '../../../shared/domain/inquiries/inquiries.ts';
import type { DemoInquiry, Utterance } from './demo-data.ts';

/** Builds an inquiry that ended or arrived at `now`, in epoch milliseconds. */
export function toNewInquiry(inquiry: DemoInquiry, now: number): NewInquiry {
  const at = (time: number) => new Date(time).toISOString();
  switch (inquiry.source) {
    case 'CALL': {
      const { utterances, data, ...rest } = inquiry;
      const start = now - data.duration * 1000;
      const transcripts = utterances.map(([after, user, text], before) => ({
        id: String(before + 1),
        created_at: at(start + after * 1000),
        text,
        user,
      }));
      const times = { startedAt: at(start), endedAt: at(now) };
      return { ...rest, data: { ...data, summary: rest.summary, transcripts, ...times } };
    }
    case 'CHATBOT': {
      const { utterances, ...rest } = inquiry;
      const start = now - lengthOf(utterances) * 1000;
      const messages = utterances.map(([after, user, text], before) => ({
        id: String(before + 1),
        user,
        text,
        createdAt: at(start + after * 1000),
      }));
      return { ...rest, data: { messages } };
    }
    case 'EMAIL':
      return { ...inquiry, data: { ...inquiry.data, receivedAt: at(now) } };
    case 'SMS': {
      const { text, ...rest } = inquiry;
      const message = { direction: 'INBOUND', text, status: 'RECEIVED', userId: null } as const;
      return { ...rest, data: { messages: [message] } };
    }
    case 'WEBFORM':
      return { ...inquiry, data: { ...inquiry.data, submittedAt: at(now) } };
  }
}

/** Seconds from the start to the last sentence. */
const lengthOf = (utterances: readonly Utterance[]) => Math.max(...utterances.map(([after]) => after));
