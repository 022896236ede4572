import * as v from 'valibot';
import { endpoint } from './endpoint.ts';
import type { Descriptions } from './descriptions.ts';

/** Folder of the functions that serve these endpoints. */
export const subject = 'calls';

export const tagDescription = 'Calls: what voice platforms report of the calls that they take and make';

/** Voice platforms with events that this service understands. */
export const platforms = ['retell', 'vapi', 'elevenlabs'] as const;
export const Platform = v.picklist(platforms);
export type Platform = v.InferOutput<typeof Platform>;

/** Part of an event. */
export const CallEventPart = v.looseObject({});
const part = v.optional(CallEventPart);

/**
 * Event of a voice platform, unchanged. The shape of an event tells its platform. An event with an unknown shape is not
 * refused.
 */
export const CallEvent = v.looseObject({
  event: v.optional(v.string()),
  call: part,
  message: part,
  type: v.optional(v.string()),
  data: part,
});

/** Answer to an event. */
export const CallEventTaken = v.strictObject({ stored: v.boolean(), reason: v.optional(v.string()) });
export type CallEventTaken = v.InferOutput<typeof CallEventTaken>;

export const descriptions = {
  Platform: { is: 'A voice platform' },
  CallEventPart: { is: 'A part of an event, as the platform documents it' },
  CallEvent: {
    is: 'An unchanged event of Retell, Vapi or ElevenLabs. Other known fields are read, too',
    fields: {
      event: 'Of Retell: what happened, such as `call_ended`',
      call: 'Of Retell: the call',
      message: 'Of Vapi: what happened, in its `type`, and the call',
      type: 'Of ElevenLabs: what happened, such as `post_call_transcription`',
      data: 'Of ElevenLabs: the conversation',
    },
  },
  CallEventTaken: {
    is: 'Whether an event was stored',
    fields: {
      stored: 'Whether anything of it is stored, now or by an earlier event',
      reason: 'Why nothing is stored; left out where something is',
    },
  },
} satisfies Descriptions;

export const submitCallEventEndpoint = endpoint({
  method: 'POST',
  path: '/v1/calls/events',
  scope: 'calls:submit',
  access: 'putUpdateAndDelete',
  takesEvents: true,
  bringsLeads: true,
  uses: 'signingSecrets',
  summary: 'Report a call from a voice platform',
  description:
    'Made to be the address of the webhook of Retell (`call_started`, `call_ended`, `call_analyzed`), Vapi ' +
    '(`status-update`, `end-of-call-report`) and ElevenLabs (`post_call_transcription`, `call_initiation_failure`). ' +
    'Each call becomes one CALL inquiry, whichever of its events comes first. Later events, in any order and any number, fill ' +
    'in missing fields. Its lead is found by the phone number alone, or made. The email and the phone number of an existing ' +
    'lead never change. Other events of the platforms are a 200, and nothing is stored. An event with an unknown shape is ' +
    'stored as a WEBFORM inquiry, so that a person sees it. Recordings stay links. Where the key was issued with a secret, an ' +
    'event that is not signed by it is a 403. A key without a secret adds as many calls in a day as forms. A 503 means that ' +
    'it could not be stored: the platform repeats it.',
  params: {},
  body: CallEvent,
  responses: { 200: CallEventTaken },
  errors: [],
  extension: true,
  example: {
    body: {
      event: 'call_ended',
      call: {
        call_id: 'call_0f3c9a7be2d14c6f8a5b1d7e9c204a36',
        call_type: 'phone_call',
        direction: 'inbound',
        from_number: '+61491570159',
        to_number: '+61255501234',
        start_timestamp: 1795600000000,
        end_timestamp: 1795600061000,
        disconnection_reason: 'user_hangup',
        transcript_object: [{ role: 'user', content: 'My tap drips.', words: [] }],
      },
    },
    response: { stored: true },
  },
});
