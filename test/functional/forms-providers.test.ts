import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../../infra/root.ts';
import type { Lead } from '../../shared/contract/leads.ts';
import { formToken, newestForm, sendForm } from '../support/forms.ts';
import { twoOrganizations } from '../support/test-organization.ts';

/*
 * The webhooks of well-known providers, posted as they come to the address that a person would give the provider. Each file has
 * the address of the provider's documentation.
 */

const { ours, theirs } = await twoOrganizations();
const key = await formToken(ours);

/** Reads a provider's message. Its file holds comments, the content type, an empty line, and the body. */
function messageOf({ name }: Provider): { type: string; body: string } {
  const file = readFileSync(join(import.meta.dirname, `forms-providers/${name}.http`), 'utf8');
  const [, type = '', text = ''] = /^Content-Type: ([^\n]*)\n\n(.*)\n$/ms.exec(file) ?? [];
  // Multipart bodies need CRLF at each line's end.
  const body = type.startsWith('multipart/') ? `${text.replaceAll('\n', '\r\n')}\r\n` : text;
  return { type, body };
}

const guide = readFileSync(join(root, 'docs/guides/forms.md'), 'utf8');

interface Provider {
  /** Name of its file. */
  name: string;
  /** Name of the provider in the guide. */
  inGuide: string;
  /** The `map` of the address. */
  map: Record<string, string>;
  /** Fields of the lead that a person would find in the message. */
  lead: Partial<Lead>;
  /** Other fields that the inquiry must have, by name. */
  fields: Record<string, string>;
  summary: string;
  /** Questions that the lead has the answers of. */
  asked: string[];
}

const answer = (place: number | '*', what: string) => `form_response.answers.${place}.${what}`;
const tally = (place: number | '*') => `data.fields.${place}.value`;
const google = (place: number | '*') => `user_column_data.${place}.string_value`;

const providers: Provider[] = [
  {
    name: 'typeform',
    inGuide: 'Typeform',
    map: {
      email: answer('*', 'email'),
      firstName: answer(2, 'text'),
      message: answer(0, 'text'),
      externalInquiryId: 'event_id',
    },
    lead: { firstName: 'Laura', lastName: '', email: 'laura@example.com', phone: '' },
    fields: {
      'form_response.definition.title': 'A place to live',
      'form_response.definition.fields.4.choices.1.label': 'Sydney',
      'form_response.hidden.user_id': 'abc123456',
      'Choose pictures': 'London, Sydney',
      'You agree that we read this': 'true',
      'The weather, 1 to 5': '5',
      [answer(11, 'field.ref')]: 'readable_ref_number2',
    },
    summary: 'Hilly, with an old town.\nCold just now.',
    asked: ['Where can we write to you?', 'Your first name'],
  },
  {
    name: 'tally',
    inGuide: 'Tally',
    map: {
      name: tally(0),
      // The first value that is an email address.
      email: tally('*'),
      phone: tally('*'),
      message: tally(3),
      externalInquiryId: 'eventId',
    },
    lead: { firstName: 'Grace', lastName: "O'Neill", email: 'grace@example.com', phone: '+61491570159' },
    fields: {
      'data.formName': 'Ask for a quote',
      'What is it about?': 'The tap drips 💧',
      'Which room?': 'Kitchen',
      'data.fields.4.options.0.text': 'Kitchen',
      'data.fields.5.label': 'Website',
    },
    summary: 'The tap drips 💧',
    asked: ['Full name', 'Email', 'Phone'],
  },
  {
    name: 'jotform',
    inGuide: 'Jotform',
    map: {
      firstName: 'rawRequest.q3_name.first',
      lastName: 'rawRequest.q3_name.last',
      email: 'rawRequest.q4_email',
      phone: 'rawRequest.q5_phone.full',
      message: 'rawRequest.q6_message',
      externalInquiryId: 'submissionID',
    },
    lead: { firstName: 'Olive', lastName: 'Marsh', email: 'olive@example.com', phone: '+61491577644' },
    fields: { formTitle: 'Ask us', type: 'WEB', ip: '203.0.113.7' },
    summary: 'A leak, in the cellar',
    asked: [],
  },
  {
    name: 'google-ads',
    inGuide: 'Google Ads lead forms',
    map: {
      name: google(0),
      email: google('*'),
      phone: google('*'),
      businessName: google(3),
      message: google(5),
      externalInquiryId: 'lead_id',
    },
    lead: {
      firstName: 'FirstName',
      lastName: 'LastName',
      businessName: 'CompanyName',
      email: 'test@example.com',
      phone: '+16505550123',
    },
    fields: {
      'Postal Code': '94043',
      [google(5)]: 'Roofing',
      form_id: '40000000000',
      is_test: 'true',
    },
    summary: 'Roofing',
    asked: ['Full Name', 'User Phone', 'User Email', 'Company Name'],
  },
  {
    name: 'twilio-message',
    inGuide: 'Twilio, a message',
    map: { phone: 'From', message: 'Body', externalInquiryId: 'MessageSid' },
    lead: { firstName: '', lastName: '', phone: '+61491578957', email: '' },
    fields: { To: '+61491579760', SmsStatus: 'received', FromCountry: 'AU', ApiVersion: '2010-04-01' },
    summary: 'Hi, can you come & look? 🚿',
    asked: [],
  },
  {
    name: 'twilio-call',
    inGuide: 'Twilio, the end of a call',
    map: { phone: 'From', externalInquiryId: 'CallSid' },
    lead: { firstName: '', lastName: '', phone: '+61491578148', email: '' },
    fields: {
      CallStatus: 'completed',
      CallDuration: '75',
      Direction: 'inbound',
      Timestamp: 'Wed, 30 Sep 2026 01:12:05 +0000',
    },
    summary: '',
    asked: [],
  },
];

/** Posts a provider's message. */
async function post(provider: Provider, { map = provider.map, to = key } = {}): Promise<void> {
  const { type, body } = messageOf(provider);
  const pairs = Object.entries(map).map(([field, path]) => `${field}:${path}`);
  const { status, text } = await sendForm(to, body, { map: pairs.join(), type });
  expect(status, text).toBe(201);
}

/** The map that the guide recommends for a provider. */
function mapInGuide({ inGuide }: Provider): Record<string, string> {
  const row = guide.split('\n').find((line) => line.startsWith(`| ${inGuide} `)) ?? '';
  const [, map = ''] = /`([^`]+)` +\|$/.exec(row) ?? [];
  return Object.fromEntries(map.split(',').map((pair) => pair.split(':') as [string, string]));
}

/** The inquiries that a provider's message has created. */
async function inquiriesOf(id: string) {
  const query = { source: 'WEBFORM', expand: 'external' };
  const { inquiries } = await ours.api.call('listInquiries', { query });
  return inquiries.filter(({ externalInquiryId }) => externalInquiryId === id);
}

/** Every value in a message as text, without null and empty ones. */
function valuesIn(value: unknown): string[] {
  if (typeof value === 'object') return Object.values(value ?? {}).flatMap(valuesIn);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text === '' ? [] : [text];
}

/** Values of a message by name; of JSON, by the name at the top. */
async function partsOf(provider: Provider): Promise<Record<string, unknown>> {
  const { type, body } = messageOf(provider);
  if (type === 'application/json') return JSON.parse(body) as Record<string, unknown>;
  const message: { formData: () => Promise<FormData> } = new Response(body, {
    headers: { 'Content-Type': type },
  });
  return Object.fromEntries(await message.formData());
}

/** The id that the provider gave the message. */
const idOf = async (provider: Provider) =>
  (await partsOf(provider))[provider.map['externalInquiryId']!] as string;

describe.each(providers)('a message of $name', (provider) => {
  test('makes the lead that a person would expect, and loses nothing', async () => {
    await post(provider);
    const id = await idOf(provider);
    const [inquiry, ...others] = await inquiriesOf(id);
    expect(others).toEqual([]);
    const read = await ours.api.call('getInquiry', { params: { inquiryId: inquiry!.id } });
    expect(read).toMatchObject({ summary: provider.summary, isRead: false, isFirstInquiry: true });
    const { lead } = await ours.api.call('getLead', { params: { leadId: inquiry!.leadId } });
    expect(lead).toMatchObject({ ...provider.lead, unreadWebformSubmissions: 1 });

    const { fields } = read.data as { fields: Record<string, string> };
    expect(fields).toMatchObject(provider.fields);
    const { firstName, lastName, email, phone, businessName } = lead;
    const had = [email, phone, businessName, firstName, `${firstName} ${lastName}`];
    // A question is the name of its answer. An answer with several values has several parts.
    const parts = Object.entries(fields).flatMap(([name, value]) => [name, value, ...value.split(', ')]);
    const kept = new Set([...parts, ...had, ...provider.asked]);
    expect(valuesIn(await partsOf(provider)).filter((value) => !kept.has(value))).toEqual([]);
  });

  test('makes the same lead by the map of the guide, as far as that goes', async () => {
    const map = mapInGuide(provider);
    expect(map['externalInquiryId']).toBe(provider.map['externalInquiryId']);
    await post(provider, { map, to: await formToken(theirs) });
    const { lead } = await newestForm(theirs);
    const { name: hasName, ...mapped } = map;
    const expected = Object.entries(provider.lead).filter(
      ([field]) => field in mapped || (hasName !== undefined && /^(?:first|last)Name$/.test(field)),
    );
    expect(expected).not.toEqual([]);
    expect(lead).toMatchObject(Object.fromEntries(expected));
  });

  test('is stored once, however often it is sent', async () => {
    await Promise.all([post(provider), post(provider)]);
    await post(provider);
    expect(await inquiriesOf(await idOf(provider))).toHaveLength(1);
  });
});
