import { partAt, textAt } from '../../core/json-parts.ts';
import { readableLine } from '../../core/readable.ts';
import { elevenLabsCall, isOfElevenLabs } from './eleven-labs.ts';
import type { ReportedCall } from './reported-call.ts';
import { isOfRetell, retellCall } from './retell.ts';
import { isOfVapi, vapiCall } from './vapi.ts';

/** Event of a platform: the call that it reports, or the reason to ignore it. Undefined if its shape is unknown. */
export type CallEventRead = { call: ReportedCall } | { ignored: string } | undefined;

/** Longest id of a call. An event with a longer id counts as an unknown shape. */
const maxId = 200;
/** Longest text of a phone number. */
const maxPhone = 200;

const shapes = [
  { isOf: isOfRetell, read: retellCall, typeOf: (json: unknown) => textAt(json, 'event') },
  { isOf: isOfVapi, read: vapiCall, typeOf: (json: unknown) => textAt(json, 'message', 'type') },
  { isOf: isOfElevenLabs, read: elevenLabsCall, typeOf: (json: unknown) => textAt(json, 'type') },
];

/** Reads an event by its shape. */
export function readCallEvent(json: unknown): CallEventRead {
  const shape = shapes.find(({ isOf }) => isOf(json));
  if (!shape) return isOfNoCall(json) ? { ignored: 'The event is about no call' } : undefined;
  const call = shape.read(json);
  if (!call) return { ignored: `Events of the type ${readableLine(shape.typeOf(json), 100)} report no call` };
  const callId = readableLine(call.callId, maxId + 1);
  const phone = readableLine(call.phone, maxPhone);
  return callId !== '' && callId.length <= maxId ? { call: { ...call, callId, phone } } : undefined;
}

/**
 * True for a message of Vapi that names no call, for example about a chat. An id of unreadable characters is an id,
 * too.
 */
const isOfNoCall = (json: unknown): boolean =>
  textAt(json, 'message', 'type') !== '' && !partAt(json, 'message', 'call', 'id');
