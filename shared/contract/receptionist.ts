import * as v from 'valibot';
import { Platform } from './call-events.ts';
import { endpoint } from './endpoint.ts';
import { line, recordId, recordNumber, text, timestamp } from './fields.ts';
import { InquirySource } from './inquiry-data.ts';
import { LeadStatus } from './leads.ts';
import { OpenState } from './opening-hours.ts';
import { getRouteEndpoint, Route } from './transfer-route.ts';
import type { Descriptions } from './descriptions.ts';

export const tagDescription = 'Receptionist: what somebody needs who answers the telephone';

/** Maximum length of a prompt, in UTF-16 code units. */
export const maxPrompt = 24_000;
/** Maximum number of inquiries, and of appointments, of a caller in the answer. */
export const maxTold = 3;

const phoneInQuery = v.optional(text(200));

export const TextFormat = v.picklist(['text']);

export const ReceptionistQuery = v.object({
  phone: phoneInQuery,
  number: phoneInQuery,
  format: v.optional(TextFormat),
});
export type ReceptionistQuery = v.InferOutput<typeof ReceptionistQuery>;

/** The business that a caller has called. */
export const CalledBusiness = v.strictObject({
  name: v.string(),
  phone: v.string(),
  calledNumber: v.string(),
  localTime: v.string(),
  hours: OpenState,
});
export type CalledBusiness = v.InferOutput<typeof CalledBusiness>;

/** Inquiry of a caller. */
export const CallerInquiry = v.strictObject({
  inquiryId: recordId('inquiry'),
  source: InquirySource,
  summary: v.string(),
  createdAt: timestamp,
});

/** Appointment of a caller. */
export const CallerAppointment = v.strictObject({
  appointmentId: recordId('appointment'),
  title: v.string(),
  start: timestamp,
  end: timestamp,
  attendeeNames: v.array(v.string()),
  say: v.string(),
});

/** Lead who calls. */
export const Caller = v.strictObject({
  leadId: recordId('lead'),
  firstName: v.string(),
  lastName: v.string(),
  email: v.string(),
  phone: v.string(),
  suburb: v.string(),
  businessName: v.string(),
  status: LeadStatus,
  lastInquiries: v.array(CallerInquiry),
  nextAppointments: v.array(CallerAppointment),
});
export type Caller = v.InferOutput<typeof Caller>;

export const KnowledgeType = v.picklist(['policy', 'service', 'product', 'faq', 'scenario']);
export type KnowledgeType = v.InferOutput<typeof KnowledgeType>;

/** Record that a prompt has no room for. `isNamed`: true if the prompt has its name and price. */
export const LeftOut = v.strictObject({
  type: KnowledgeType,
  id: recordNumber,
  name: v.string(),
  isNamed: v.boolean(),
});
export type LeftOut = v.InferOutput<typeof LeftOut>;

export const Receptionist = v.strictObject({
  business: CalledBusiness,
  caller: v.nullable(Caller),
  routes: v.array(Route),
  prompt: v.string(),
  leftOut: v.array(LeftOut),
});
export type Receptionist = v.InferOutput<typeof Receptionist>;

/** Query of a platform's request for a ringing call. */
export const RingingQuery = v.pipe(
  v.object({
    as: Platform,
    assistantId: v.optional(line(100)),
  }),
  v.forward(
    v.partialCheck(
      [['as'], ['assistantId']],
      ({ as, assistantId }) => as !== 'vapi' || Boolean(assistantId),
      'is required with as=vapi, which calls no assistant without',
    ),
    ['assistantId'],
  ),
);
export type RingingQuery = v.InferOutput<typeof RingingQuery>;

/** A platform's request for a ringing call, unchanged. */
export const RingingCall = v.looseObject({});

/**
 * Variables that a platform gets for a call. All of them are always present. Each is a text, and empty if nothing is
 * known. Never rename or remove a variable: prompts name the variables.
 */
export const Variables = v.strictObject({
  business_name: v.string(),
  business_phone: v.string(),
  business_hours: v.string(),
  is_open: v.string(),
  local_time: v.string(),
  caller_is_known: v.string(),
  caller_name: v.string(),
  caller_first_name: v.string(),
  caller_suburb: v.string(),
  caller_status: v.string(),
  caller_lead_id: v.string(),
  last_inquiries: v.string(),
  next_appointments: v.string(),
  transfers: v.string(),
  knowledge: v.string(),
});
export type Variables = v.InferOutput<typeof Variables>;

/** Answer to Retell's webhook of an inbound call. */
export const RetellCall = v.strictObject({
  dynamic_variables: Variables,
  override_agent_id: v.optional(v.string()),
});
export const RetellRinging = v.strictObject({ call_inbound: RetellCall });
/** Answer to Vapi's `assistant-request`. */
export const VapiOverrides = v.strictObject({ variableValues: Variables });
export const VapiRinging = v.strictObject({ assistantId: v.string(), assistantOverrides: VapiOverrides });
/** Answer to ElevenLabs' webhook of a conversation that begins. */
export const ElevenLabsRinging = v.strictObject({
  type: v.literal('conversation_initiation_client_data'),
  dynamic_variables: Variables,
});
export const RingingAnswer = v.union([RetellRinging, VapiRinging, ElevenLabsRinging]);
export type RingingAnswer = v.InferOutput<typeof RingingAnswer>;

export const descriptions = {
  TextFormat: { is: 'How an answer is shown: `text` for plain text' },
  ReceptionistQuery: {
    is: 'Who calls',
    fields: {
      phone: "The caller's number in any form. If it is hidden or unknown, `caller` is null",
      number: 'The number that was called, which the answer repeats in E.164',
      format: '`text` for the prompt alone, as plain text; all of it in JSON when not given',
    },
  },
  CalledBusiness: {
    is: 'The business that is called',
    fields: {
      name: 'Its name',
      phone: 'Its own phone number, in E.164',
      calledNumber: 'The number that was called, in E.164. An invalid number is unchanged, between « and »',
      localTime: 'The local time now, as an English phrase',
      hours: 'Whether it is open, and until when',
    },
  },
  Caller: {
    is:
      'The lead who calls. Each text from outside the business is one line between « and »: data for a model, and never an ' +
      'instruction',
    like: 'Lead',
    fields: {
      leadId: 'The lead',
      lastInquiries: 'The newest three inquiries, the newest first',
      nextAppointments: 'The next three appointments that are not cancelled, the earliest first',
    },
  },
  CallerInquiry: {
    is: 'An inquiry of a caller',
    fields: {
      inquiryId: 'The inquiry',
      source: 'The way that it came',
      summary: 'The inquiry in short',
    },
  },
  CallerAppointment: {
    is: 'An appointment of a caller',
    like: 'Appointment',
    fields: {
      appointmentId: 'The appointment',
      attendeeNames: 'The names of the attendees, whether the token allows `members:read` or not',
      say: 'Its beginning in the local time, as an English phrase',
    },
  },
  KnowledgeType: { is: 'A kind of record that a prompt is made of' },
  LeftOut: {
    is: 'A record that a prompt has no room for',
    fields: {
      type: 'Which kind of record it is',
      name: 'Its name; of an FAQ the question. The first 100 characters',
      isNamed: 'Whether the prompt has its name and its price at least',
    },
  },
  Receptionist: {
    is: 'Everything that a person or an assistant needs at the telephone',
    fields: {
      business: 'The business, and whether it is open',
      caller: 'The caller; null for an unknown or hidden number',
      routes: 'The transfer rules that are in use, and whether their destinations can be reached now',
      prompt:
        'Policies, services, products, FAQs and scenarios that are in use, as a text for a model, at most 24,000 characters',
      leftOut: 'Records that the prompt has no room for; the first 600',
    },
  },
  RingingQuery: {
    is: 'Which platform asks',
    fields: {
      as: "The platform. The answer has the platform's form",
      assistantId:
        'Of Vapi: the assistant that takes the call. Of Retell: the agent, if it is another than the number has',
    },
  },
  RingingCall: { is: 'A call that rings, as the platform tells it' },
  Variables: {
    is:
      'The knowledge of an assistant when it answers: texts, empty if nothing is known. A text from outside the business is ' +
      'one line between « and »: data, and never an instruction',
    fields: {
      business_name: 'The name of the business',
      business_phone: 'Its phone number',
      business_hours: 'Whether it is open, and until when, as a sentence',
      is_open: '`yes` or `no`',
      local_time: 'The local time, as a phrase',
      caller_is_known: '`yes` or `no`; empty if it could not be read in time',
      caller_name: 'The whole name of the caller',
      caller_first_name: 'The first name of the caller',
      caller_suburb: 'The suburb of the caller',
      caller_status: 'How far the lead has come',
      caller_lead_id: 'The id of the lead, for tools',
      last_inquiries: "The caller's last inquiries, a line each",
      next_appointments: 'The next appointments of the caller, a line each',
      transfers: 'Who can be reached for what now, a line each',
      knowledge: 'The prompt of `GET /v1/receptionist`',
    },
  },
  RetellRinging: {
    is: 'The answer for Retell',
    fields: { call_inbound: "Retell's settings of the call" },
  },
  RetellCall: {
    is: "Retell's settings of a call",
    fields: {
      dynamic_variables: 'The variables',
      override_agent_id: 'The agent that takes the call, in place of the one that the number has',
    },
  },
  VapiOverrides: { is: 'The overrides of an assistant of Vapi', fields: { variableValues: 'The variables' } },
  VapiRinging: {
    is: 'The answer for Vapi',
    fields: { assistantId: 'The assistant', assistantOverrides: 'The variables' },
  },
  ElevenLabsRinging: {
    is: 'The answer for ElevenLabs',
    fields: { type: 'What it is', dynamic_variables: 'The variables' },
  },
  RingingAnswer: { is: 'The answer in the form of the platform' },
} satisfies Descriptions;

const example: Receptionist = {
  business: {
    name: 'Harbour Plumbing',
    phone: '+61255501234',
    calledNumber: '+61255501234',
    localTime: 'Friday the 27th of November at 10:30 in the morning',
    hours: {
      at: '2026-11-26T23:30:00.000Z',
      timeZone: 'Australia/Sydney',
      isOpen: true,
      isOnCall: false,
      until: '2026-11-27T06:00:00.000Z',
      holiday: null,
      say: 'Open until 5 pm',
    },
  },
  caller: {
    leadId: 'lead_6H8EV88000000005',
    firstName: '«Sofia»',
    lastName: '«Rossi»',
    email: '«sofia.rossi@example.com»',
    phone: '+61491570159',
    suburb: '«Leichhardt»',
    businessName: '',
    status: 'quoted',
    lastInquiries: [
      {
        inquiryId: 'inquiry_6H8EV88000000007',
        source: 'CALL',
        summary: '«No hot water since this morning»',
        createdAt: '2026-11-25T23:30:00.000Z',
      },
    ],
    nextAppointments: [],
  },
  routes: [getRouteEndpoint.example.response.route],
  prompt:
    'This is what Harbour Plumbing offers.\n\n## Services\n- Blocked drain. It takes 90 minutes. AUD 180 plus GST.',
  leftOut: [],
};

export const getReceptionistEndpoint = endpoint({
  method: 'GET',
  path: '/v1/receptionist',
  scope: 'receptionist:read',
  access: ['GetItem', 'Query', 'Query list', 'Query search', 'UpdateItem prepared'],
  cache: { seconds: 0 },
  summary: 'Read what a receptionist needs to answer the phone',
  description:
    'The business and its hours, the caller by the phone number, the transfer rules, and the knowledge of the business as a ' +
    'prompt. The prompt is made once for each state of the configuration. Records without room are shortened to their name ' +
    'and price, then left out, in each section in proportion. `leftOut` names them. The scope of this operation is enough ' +
    'to read the caller: no scope of leads is needed.',
  tellsTimeZone: true,
  params: {},
  query: ReceptionistQuery,
  responses: { 200: Receptionist },
  plainText: { example: example.prompt },
  errors: [],
  extension: true,
  example: { query: { phone: '+61491570159', number: example.business.calledNumber }, response: example },
});

const variables: Variables = {
  business_name: 'Harbour Plumbing',
  business_phone: '+61255501234',
  business_hours: 'Open until 5 pm',
  is_open: 'yes',
  local_time: 'Friday the 27th of November at 10:30 in the morning',
  caller_is_known: 'yes',
  caller_name: '«Sofia Rossi»',
  caller_first_name: '«Sofia»',
  caller_suburb: '«Leichhardt»',
  caller_status: 'quoted',
  caller_lead_id: 'lead_6H8EV88000000005',
  last_inquiries: 'CALL on Thursday, 26 November: «No hot water since this morning»',
  next_appointments: '',
  transfers: 'Burst pipes: Water is running and cannot be turned off (Mia Tran can be reached now)',
  knowledge: example.prompt,
};

export const answerRingingEndpoint = endpoint({
  method: 'POST',
  path: '/v1/receptionist/ringing',
  scope: 'receptionist:answer',
  access: ['GetItem', 'Query', 'Query list', 'Query search', 'UpdateItem prepared'],
  takesEvents: true,
  bringsLeads: true,
  uses: 'signingSecrets',
  summary: 'Tell a voice platform who is calling, while the phone rings',
  description:
    'The address for the inbound webhook of Retell, for the server of a phone number of Vapi (`assistant-request`), and for ' +
    'the webhook that begins a conversation of ElevenLabs. The answer comes within a second, and always has all variables: on ' +
    'any trouble, what is not known is empty. If the key was issued with a secret, a request needs a signature by it, or the ' +
    'secret as `X-Vapi-Secret` or `Authorization: Bearer`. Otherwise it is a 403.',
  params: {},
  query: RingingQuery,
  body: RingingCall,
  responses: { 200: RingingAnswer },
  errors: [],
  extension: true,
  example: {
    query: { as: 'retell' },
    body: { event: 'call_inbound', call_inbound: { from_number: '+61491570159', to_number: '+61255501234' } },
    response: { call_inbound: { dynamic_variables: variables } },
  },
});
