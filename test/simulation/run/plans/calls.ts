import type { OrganizationModel } from '../model/organization-model.ts';
import type { Plan, WeightedPlan } from '../plan.ts';
import { someUniqueWord, type Planner } from '../planner.ts';
import type { Fields } from '../same.ts';
import { checkOneOf } from '../violation.ts';
import { someEmail, someFirstName, somePhone } from './contacts.ts';
import { someFields } from './forms.ts';
import { someKey, someSignature } from './keys.ts';
import { checkTold, tellingPlan } from './told.ts';

/** A call as a platform reports it in the end. */
type Call = Fields & { call_id: string; transcript_object: Fields[]; call_analysis: Fields };

/** A call of a number that leads have, of an unknown one, or of a hidden one. */
function someCall(planner: Planner, number: number): Call {
  const { draw } = planner;
  const start = Date.UTC(2026, 0, 5) + draw.whole(0, 600) * 1000;
  const phone = draw.happens(0.1) ? draw.pick(['', 'anonymous']) : somePhone(planner);
  const word = () => someUniqueWord(planner);
  return {
    call_id: `call-${number}`,
    call_type: 'phone_call',
    direction: 'inbound',
    from_number: phone,
    start_timestamp: start,
    end_timestamp: start + 60_000,
    duration_ms: 60_000,
    disconnection_reason: 'user_hangup',
    recording_url: `https://recordings.example/${word()}`,
    transcript_object: Array.from({ length: draw.whole(1, 3) }, (_, at) => ({
      role: at % 2 === 0 ? 'agent' : 'user',
      content: `Says ${word()}`,
      words: draw.happens(0.8) ? [{ word: 'Well', start: at * 4 }] : [],
    })),
    call_analysis: {
      call_summary: `Wants ${word()}`,
      custom_analysis_data: {
        problem: word(),
        ...(draw.happens(0.3) && { email: someEmail(planner) }),
        ...(draw.happens(0.3) && { first_name: someFirstName(planner) }),
      },
    },
  };
}

/** Event of a part of a call: its beginning, its end, or its transcript, with some differences. */
function someEventOf({ draw }: Planner, call: Call): Fields {
  const { call_analysis: analysis, transcript_object: turns, recording_url: recording, ...ended } = call;
  const { end_timestamp: end, duration_ms: duration, disconnection_reason: reason, ...start } = ended;
  const told = draw.pick([
    start,
    ended,
    ended,
    draw.happens(0.2) ? { ...ended, duration_ms: 61_000 } : ended,
  ]);
  if (draw.happens(0.5)) return { event: told === start ? 'call_started' : 'call_ended', call: told };
  return {
    event: 'call_analyzed',
    call: {
      ...ended,
      transcript_object: turns.slice(0, draw.whole(0, turns.length)),
      ...(draw.happens(0.7) && { recording_url: recording }),
      ...(draw.happens(0.8) && { call_analysis: analysis }),
    },
  };
}

/** Calls of each organization, oldest first, and the last event of an unknown shape that was sent to it. */
const sent = new WeakMap<OrganizationModel, { calls: Call[]; unknown: string }>();

/** True if somebody has read the inquiry of a call. */
function isRead(organization: OrganizationModel, { call_id: id }: Call): boolean {
  const held = organization.history(organization.uniqueName('INQUIRY.callId', `retell#${id}`)).last;
  const inquiry = held && organization.record('INQUIRY', organization.numberOf('INQUIRY', held.fields['id']));
  return inquiry?.['isRead'] === true;
}

/** Event of a new call or of a recent call, an event of an unknown shape, which is stored as a form, or a ping. */
function someEvent(planner: Planner): { is: string; body: string; answer: Fields } {
  const { draw, organization } = planner;
  const known = sent.get(organization) ?? { calls: [], unknown: '' };
  sent.set(organization, known);
  const { calls } = known;
  const kind = draw.weighted([
    ['retell', 17],
    ['unknown', 2],
    ['meaningless', 1],
  ]);
  if (kind === 'meaningless')
    return { is: kind, body: '{"event":"ping"}', answer: { stored: false, reason: 'The event is a ping' } };
  if (kind === 'unknown') {
    if (known.unknown === '' || draw.happens(0.6)) known.unknown = JSON.stringify(someFields(planner));
    return { is: kind, body: known.unknown, answer: { stored: true } };
  }
  if (calls.length === 0 || draw.happens(0.25)) calls.push(someCall(planner, calls.length + 1));
  // Some events come after somebody has read the earlier events of the call.
  const read = draw.happens(0.2) ? calls.filter((call) => isRead(organization, call)) : [];
  const last = calls.slice(draw.pick([-1, -1, -3, -30]));
  const event = someEventOf(planner, draw.pick(read.length > 0 ? read : last));
  return { is: kind, body: JSON.stringify(event), answer: { stored: true } };
}

/** Sends an event of a voice platform: several of one call at once, in any order, and some of them again. */
export function submitCallEvent(planner: Planner): Plan {
  const { organization } = planner;
  const { is, body, answer } = someEvent(planner);
  return {
    operation: `submitCallEvent ${is}`,
    organization,
    token: someKey(planner, 'calls:submit').token,
    call: { endpoint: 'submitCallEvent', body, headers: someSignature(planner) },
    repeated: 'goesOn',
    ...tellingPlan('submitCallEvent'),
    check: (observed, window, { made: stored, status }) => {
      const expected = [{ status: 200, body: answer }];
      checkOneOf('An event must be answered with whether it is stored', expected, { status, body: observed });
      checkTold('What an event says of a call must be stored', body, window, stored);
    },
  };
}

export const plans: readonly WeightedPlan[] = [[submitCallEvent, 8]];
