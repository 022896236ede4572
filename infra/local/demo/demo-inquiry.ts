import type { InquirySource } from '../../../shared/contract/inquiries.ts';
import type { InquiryToStore } from '../../../shared/domain/inquiries/inquiries.ts';

/** Builds an inquiry that ended or arrived at `now`, in epoch milliseconds. */
export type DemoInquiry = (now: number) => InquiryToStore;

/** Facts that an operator sees first of an inquiry. */
type About = Pick<InquiryToStore, 'tag' | 'summary' | 'isRead'>;

type DataOf<Source extends InquirySource> = Extract<InquiryToStore, { source: Source }>['data'];

/** Seconds between two sentences of a call or chat. */
const pause = 9;

const time = (milliseconds: number) => new Date(milliseconds).toISOString();

/** A call. The speakers take turns: the assistant begins, unless it has called the lead. */
export const call =
  (
    about: About & { summary: string },
    keyPoints: string[],
    sentences: string[],
    direction: DataOf<'CALL'>['direction'] = 'LEAD_TO_AI',
  ): DemoInquiry =>
  (now) => {
    const duration = pause * sentences.length;
    const startedAt = now - duration * 1000;
    const { summary } = about;
    const transcripts = turns(sentences, direction === 'AI_TO_LEAD' ? ['user', 'assistant'] : undefined).map(
      ({ id, user, text, after }) => ({ id, created_at: time(startedAt + after), text, user }),
    );
    const times = { startedAt: time(startedAt), endedAt: time(now), duration };
    const recordingUrl = `https://recordings.example.com/${time(startedAt)}.mp3`;
    const data = {
      ...times,
      keyPoints,
      recordingUrl,
      direction,
      endedBy: 'user',
      endReason: '',
      fields: {},
      summary,
      transcripts,
    } as const;
    return { source: 'CALL', ...about, data };
  };

/** A chat. The speakers take turns: the assistant begins. */
export const chat =
  (about: About, externalId: string, sentences: string[]): DemoInquiry =>
  (now) => {
    const startedAt = now - pause * 1000 * (sentences.length - 1);
    const messages = turns(sentences).map(({ after, ...sentence }) => ({
      ...sentence,
      createdAt: time(startedAt + after),
    }));
    return { source: 'CHATBOT', ...about, externalId, data: { messages } };
  };

export const email =
  (about: About, externalId: string, data: Omit<DataOf<'EMAIL'>, 'receivedAt' | 'to'>): DemoInquiry =>
  (now) => ({
    source: 'EMAIL',
    ...about,
    externalId,
    data: { ...data, to: 'office@harbourplumbing.example', receivedAt: time(now) },
  });

export const sms =
  (about: About, text: string): DemoInquiry =>
  () => ({
    source: 'SMS',
    ...about,
    data: { messages: [{ direction: 'INBOUND', text, status: 'RECEIVED', userId: null }] },
  });

export const webform =
  (about: About, externalId: string, fields: Record<string, string>): DemoInquiry =>
  (now) => ({
    source: 'WEBFORM',
    ...about,
    externalId,
    data: { formName: 'Ask for a quote', fields, submittedAt: time(now) },
  });

/** Speakers, texts and times, in milliseconds after the start, of sentences in turn. */
const turns = (sentences: readonly string[], speakers: readonly Speaker[] = ['assistant', 'user']) =>
  sentences.map((text, at) => ({
    id: String(at + 1),
    user: speakers[at % speakers.length] ?? 'user',
    text,
    after: at * pause * 1000,
  }));

type Speaker = 'user' | 'assistant';
