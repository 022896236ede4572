import { hash } from 'node:crypto';
import { platforms } from '../../../../shared/contract/call-events.ts';
import type { Change } from '../model/change.ts';
import type { OrganizationModel } from '../model/organization-model.ts';
import { Refused } from '../model/refusal.ts';
import { maxFormsPerDay } from '../model/rules.ts';
import type { Window } from '../model/window.ts';
import { nothingChanges, once, type Plan, type WeightedPlan } from '../plan.ts';
import { someUniqueWord, type ClientToken, type Planner } from '../planner.ts';
import { only, same, type Fields } from '../same.ts';
import { checkOneOf, Violation } from '../violation.ts';
import { endsOf, eventOf, meaninglessEvents, type Report, type Turn } from './call-events.ts';
import { someEmail, someFirstName, somePhone } from './contacts.ts';
import { leadWith } from './conversations.ts';
import { someFields } from './forms.ts';
import { addInquiry } from './inquiries.ts';
import { someKey, someSignature } from './keys.ts';
import { fillInquiry } from './later-reports.ts';
import { givenBeside, leadOf, readSender, type Sender } from './new-inquiries.ts';
import { checkKnown, storeForm, type TakenForm } from './taken-forms.ts';

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

const isoOf = (time: number) => new Date(time).toISOString();

/** Data of a call as one report tells it. What is not known of its time is counted from now. */
function dataOf({ startedAt, endedAt, seconds, end, turns, ...report }: Report, now: string): Fields {
  const isTimed = startedAt !== undefined && endedAt !== undefined;
  const duration = isTimed ? (endedAt - startedAt) / 1000 : (seconds ?? 0);
  const start = startedAt ?? (endedAt ?? Date.parse(now)) - duration * 1000;
  return {
    ...{ summary: report.summary, keyPoints: [], recordingUrl: report.recordingUrl },
    transcripts: turns.map(({ user, text, after = 0 }, at) => ({
      ...{ id: String(at + 1), created_at: isoOf(start + after * 1000), text, user },
    })),
    direction: report.isOutgoing ? 'AI_TO_LEAD' : 'LEAD_TO_AI',
    ...{ duration, startedAt: isoOf(start), endedAt: isoOf(start + duration * 1000) },
    ...{ endedBy: end?.by ?? 'user', endReason: end?.reason ?? '', fields: report.findings },
  };
}

/** The longer text, or the later one in the order of texts. */
const better = (one: string, other: string): string =>
  other.length > one.length || (other.length === one.length && other > one) ? other : one;

const wordsOf = ({ transcripts }: Fields): string =>
  (transcripts as Turn[]).map(({ text }) => text).join('\n');

/** Report with the longer transcript; of equal ones, with the earlier times. */
function toldBy(known: Fields, other: Fields): Fields {
  const longer = better(wordsOf(known), wordsOf(other)) === wordsOf(known) ? known : other;
  if (wordsOf(known) !== wordsOf(other)) return longer;
  const timesOf = ({ transcripts }: Fields) =>
    (transcripts as (Turn & { created_at: string })[])
      .map(({ created_at, user }) => `${created_at} ${user}`)
      .join('\n');
  return timesOf(other) < timesOf(known) ? other : known;
}

/** Data of a call with what another report adds: the better part of each, in whichever order they come. */
function merged(known: Fields, other: Fields): Fields {
  const [one, two] = [known['fields'], other['fields']] as [Record<string, string>, Record<string, string>];
  const names = new Set([...Object.keys(one), ...Object.keys(two)]);
  const ended = better(String(known['endReason']), String(other['endReason'])) === known['endReason'];
  const both = [known, other];
  const [startedAt = ''] = both.map((call) => String(call['startedAt'])).sort();
  const duration = Math.max(...both.map((call) => Number(call['duration'])));
  return {
    ...known,
    summary: better(String(known['summary']), String(other['summary'])),
    recordingUrl: known['recordingUrl'] !== '' ? known['recordingUrl'] : other['recordingUrl'],
    transcripts: toldBy(known, other)['transcripts'],
    direction: both.some(({ direction }) => direction === 'AI_TO_LEAD') ? 'AI_TO_LEAD' : 'LEAD_TO_AI',
    ...{ duration, startedAt, endedAt: isoOf(Date.parse(startedAt) + duration * 1000) },
    ...only(ended ? known : other, 'endedBy', 'endReason'),
    fields: Object.fromEntries(
      [...names].map((name) => [name, better(one[name] ?? '', two[name] ?? '')] as const),
    ),
  };
}

/** Person of a report: by the number, and by findings that are named as a lead's fields. */
function senderOf({ phone, findings }: Report, country: string): Sender {
  const { email, first_name: firstName, suburb, phone: other = '' } = findings;
  const given = phone === '' ? other : phone;
  return readSender(
    {
      ...(firstName !== undefined && { firstName }),
      ...(email !== undefined && { email }),
      ...(suburb !== undefined && { suburb }),
      ...(given !== '' && { phone: given }),
    },
    country,
  );
}

/** Name of the item that holds the id of a call. */
const idItemOf = (organization: OrganizationModel, { platform, callId }: Report): string =>
  organization.uniqueName('INQUIRY.callId', `${platform}#${callId}`);

/** The lead with the number of the call, or a new one with what is said and no other lead has. */
function leadOfCall(change: Change, { details, ...sender }: Sender, { phone }: Report): number {
  const [byEmail, byPhone] = [
    leadWith(change, 'email', details['email']),
    leadWith(change, 'phone', sender.number),
  ];
  const email = byEmail === undefined ? details['email'] : '';
  const number = byPhone !== undefined && phone === '' ? '' : sender.number;
  return leadOf(change, { ...sender, details: { ...details, email }, number }, { fillsContacts: false });
}

/** Stores a report: a new inquiry with its lead, or what the inquiry of its call lacks. @throws Refused */
function storeReport(change: Change, report: Report, key: ClientToken): void {
  const { organization } = change;
  const { platform, callId, summary } = report;
  const sender = senderOf(report, organization.country);
  const data = dataOf(report, change.now);
  const held = organization.history(idItemOf(organization, report)).last;
  if (held) {
    const dataWith = (known: Fields) => merged(known, data);
    const number = organization.numberOf('INQUIRY', held.fields['id']);
    if (!fillInquiry(change, number, { dataWith, summary, sender })) throw new Refused(nothingChanges);
    return;
  }
  const isSigned = 'signingSecret' in organization.record('TOKEN', key.id)!;
  if (!isSigned) change.countToday(`FORM#${key.id}`, maxFormsPerDay);
  const lead = leadOfCall(change, sender, report);
  addInquiry(change, lead, {
    ...{ source: 'CALL', data, summary, externalId: callId, platform },
    ...givenBeside(change.get('LEAD', lead), sender),
  });
}

/**
 * Checks that a report that stored nothing had nothing new at some time in the window. Without any time of its own, a report
 * tells none. @throws Violation
 */
function checkTold(window: Window, report: Report): void {
  const { organization } = window;
  const known = window
    .values(idItemOf(organization, report))
    .flatMap((held) =>
      held ? window.present('INQUIRY', organization.numberOf('INQUIRY', held.fields['id'])) : [],
    )
    .flatMap(({ sourceId }) => window.present('CALL', organization.numberOf('CALL', sourceId)));
  // Of a report without times, nothing is earlier.
  const told = dataOf(report, '9999-01-01T00:00:00.000Z');
  const isTold = known.some((call) => same(merged(call, told), call));
  if (!isTold) throw new Violation('What an event says of a call must be stored', known, report);
}

/** Event with its answer, and what is expected of it. */
interface Sending extends Pick<Plan, 'stages'> {
  is: string;
  body: string;
  answer: Fields;
  /** Checks that nothing of it is lost, if it stored nothing. */
  checkKnown: (window: Window) => void;
}

function reporting(planner: Planner, key: ClientToken): Sending {
  const report = someEvent(planner);
  return {
    ...{ is: report.platform, body: JSON.stringify(eventOf[report.platform](report)) },
    answer: { stored: true },
    stages: once((change) => {
      storeReport(change, report, key);
    }),
    checkKnown: (window) => {
      checkTold(window, report);
    },
  };
}

/** Events of unknown shapes that were sent to each organization, of which some come again. */
const unknownSent = new WeakMap<OrganizationModel, ReturnType<typeof someFields>>();

/** Event of an unknown shape, which is stored as a form: once for each text. */
function unknown(planner: Planner, key: ClientToken): Sending {
  const { draw, organization } = planner;
  const before = unknownSent.get(organization);
  const { fields, invalid } = before && draw.happens(0.4) ? before : someFields(planner);
  unknownSent.set(organization, { fields, invalid });
  const body = JSON.stringify(fields);
  const form: TakenForm = {
    ...{ fields, invalid, ofSending: [], formName: '', keyId: key.id },
    externalId: hash('sha256', body, 'base64url').slice(0, 22),
  };
  return {
    ...{ is: 'unknown', body, answer: { stored: true } },
    stages: once((change) => {
      storeForm(change, form);
    }),
    checkKnown: (window) => {
      checkKnown(window, form);
    },
  };
}

function meaningless({ draw }: Planner): Sending {
  const [event, reason] = draw.pick(meaninglessEvents);
  const body = typeof event === 'string' ? event : JSON.stringify(event);
  return { is: 'meaningless', body, answer: { stored: false, reason }, checkKnown: () => undefined };
}

/** Sends an event of a voice platform: several of one call at once, in any order, and some of them again. */
export function submitCallEvent(planner: Planner): Plan {
  const { draw, organization } = planner;
  const key = someKey(planner, 'calls:submit');
  const { is, body, answer, checkKnown, ...sending } = draw.happens(0.85)
    ? reporting(planner, key)
    : draw.happens(0.6)
      ? unknown(planner, key)
      : meaningless(planner);
  return {
    operation: `submitCallEvent ${is}`,
    organization,
    token: key.token,
    call: { endpoint: 'submitCallEvent', body, headers: someSignature(planner) },
    repeated: 'goesOn',
    ...sending,
    check: (observed, window, { made: stored, status }) => {
      const expected = [{ status: 200, body: answer }];
      checkOneOf('An event must be answered with whether it is stored', expected, { status, body: observed });
      if (stored.length === 0) checkKnown(window);
    },
  };
}

export const plans: readonly WeightedPlan[] = [[submitCallEvent, 8]];
