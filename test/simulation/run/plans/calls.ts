import { platforms } from '../../../../shared/contract/call-events.ts';
import type { OrganizationModel } from '../model/organization-model.ts';
import type { Plan, WeightedPlan } from '../plan.ts';
import { someUniqueWord, type Planner } from '../planner.ts';
import { only, type Fields } from '../same.ts';
import { checkOneOf } from '../violation.ts';
import { endsOf, eventOf, meaninglessEvents, type Report, type Turn } from './call-events.ts';
import { someEmail, someFirstName, somePhone } from './contacts.ts';
import { someFields } from './forms.ts';
import { someKey, someSignature } from './keys.ts';
import { checkTold, tellingPlan } from './told.ts';

/** All that events report of a new call: of a number that leads have, of an unknown one, or of a hidden one. */
function someCall(planner: Planner, number: number): Report {
  const { draw } = planner;
  const platform = draw.pick(platforms);
  const startedAt = Date.UTC(2026, 0, 5) + draw.whole(0, 600) * 1000;
  const seconds = draw.whole(1, 90);
  const word = () => someUniqueWord(planner);
  return {
    ...{ platform, callId: `call-${number}`, isOutgoing: draw.happens(0.3) },
    phone: draw.happens(0.1) ? draw.pick(['', 'anonymous']) : somePhone(planner),
    ...{ startedAt, seconds, endedAt: startedAt + seconds * 1000, end: draw.pick(endsOf[platform]) },
    summary: `Wants ${word()}`,
    recordingUrl: platform === 'elevenlabs' ? '' : `https://recordings.example/${word()}`,
    turns: Array.from({ length: draw.whole(1, 3) }, (_, at): Turn => ({
      ...{ user: at % 2 === 0 ? 'assistant' : 'user', text: `Says ${word()}` },
      after: draw.happens(0.8) ? at * 4 : undefined,
    })),
    findings: {
      problem: word(),
      ...(draw.happens(0.3) && { budget: String(draw.whole(1, 9) * 100) }),
      ...(draw.happens(0.3) && { email: someEmail(planner) }),
      ...(draw.happens(0.3) && { first_name: someFirstName(planner) }),
      ...(draw.happens(0.2) && { suburb: 'Newtown' }),
      ...(draw.happens(0.1) && { phone: somePhone(planner) }),
    },
  };
}

/** Report of a part of a call: its beginning, its end, or all of it, with some differences. */
function someReport({ draw }: Planner, call: Report): Report {
  const { platform, callId, phone, isOutgoing, startedAt, endedAt, seconds } = call;
  const start: Report = {
    ...{ platform, callId, isOutgoing: isOutgoing && draw.happens(0.8) },
    phone: draw.happens(0.1) ? '' : phone,
    startedAt: draw.happens(0.8) ? startedAt : undefined,
    ...{ endedAt: undefined, seconds: undefined, end: undefined },
    ...{ summary: '', recordingUrl: '', turns: [], findings: {} },
  };
  if (draw.happens(0.3)) return start;
  const longer = draw.happens(0.1) ? 1000 : 0;
  const isLong = draw.happens(0.9) && seconds !== undefined;
  const ended: Report = {
    ...start,
    ...(isLong && { seconds: seconds + longer / 1000 }),
    end: draw.happens(0.8) ? call.end : draw.pick(endsOf[platform]),
  };
  // This platform tells no end, but what follows from the beginning and the duration.
  if (platform === 'elevenlabs') {
    const isKnown = ended.startedAt !== undefined && ended.seconds !== undefined;
    ended.endedAt = isKnown ? ended.startedAt! + ended.seconds! * 1000 : undefined;
  } else if (draw.happens(0.7) && endedAt !== undefined) ended.endedAt = endedAt + longer;
  if (draw.happens(0.3)) return ended;
  const names = Object.keys(call.findings).filter(() => draw.happens(0.7));
  return {
    ...ended,
    summary: draw.pick(['', call.summary, call.summary, `${call.summary} soon`]),
    recordingUrl: draw.happens(0.7) ? call.recordingUrl : '',
    turns: call.turns.slice(0, draw.whole(0, call.turns.length)),
    findings: only(call.findings, ...names) as Record<string, string>,
  };
}

/** Calls of each organization, oldest first. */
const made = new WeakMap<OrganizationModel, Report[]>();

/** True if somebody has read the inquiry of a call. */
function isRead(organization: OrganizationModel, call: Report): boolean {
  const held = organization.history(idItemOf(organization, call)).last;
  const inquiry = held && organization.record('INQUIRY', organization.numberOf('INQUIRY', held.fields['id']));
  return inquiry?.['isRead'] === true;
}

/**
 * Report of a new call, or of one of the last ones: often several events of one call are under way. Some come after somebody has read
 * what came before.
 */
function someEvent(planner: Planner): Report {
  const { draw, organization } = planner;
  const calls = made.get(organization) ?? [];
  if (calls.length === 0 || draw.happens(0.25)) {
    const call = someCall(planner, calls.length + 1);
    made.set(organization, [...calls, call]);
    return someReport(planner, call);
  }
  const read = draw.happens(0.2) ? calls.filter((call) => isRead(organization, call)) : [];
  const last = calls.slice(
    draw.weighted([
      [-1, 4],
      [-3, 2],
      [-30, 1],
    ]),
  );
  return someReport(planner, draw.pick(read.length > 0 ? read : last));
}

/** Name of the item that holds the id of a call. */
const idItemOf = (organization: OrganizationModel, { platform, callId }: Report): string =>
  organization.uniqueName('INQUIRY.callId', `${platform}#${callId}`);

/** Event with its answer. */
interface Sending {
  is: string;
  body: string;
  answer: Fields;
}

function reporting(planner: Planner): Sending {
  const report = someEvent(planner);
  const body = JSON.stringify(eventOf[report.platform](report));
  return { is: report.platform, body, answer: { stored: true } };
}

/** Events of unknown shapes that were sent to each organization, of which some come again. */
const unknownSent = new WeakMap<OrganizationModel, string>();

/** Event of an unknown shape, which is stored as a form. */
function unknown(planner: Planner): Sending {
  const { draw, organization } = planner;
  const before = unknownSent.get(organization);
  const body = before !== undefined && draw.happens(0.4) ? before : JSON.stringify(someFields(planner));
  unknownSent.set(organization, body);
  return { is: 'unknown', body, answer: { stored: true } };
}

function meaningless({ draw }: Planner): Sending {
  const [event, reason] = draw.pick(meaninglessEvents);
  const body = typeof event === 'string' ? event : JSON.stringify(event);
  return { is: 'meaningless', body, answer: { stored: false, reason } };
}

/** Sends an event of a voice platform: several of one call at once, in any order, and some of them again. */
export function submitCallEvent(planner: Planner): Plan {
  const { draw, organization } = planner;
  const kind = draw.weighted([
    [reporting, 17],
    [unknown, 2],
    [meaningless, 1],
  ]);
  const { is, body, answer } = kind(planner);
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
