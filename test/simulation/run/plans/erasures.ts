import type { Change } from '../model/change.ts';
import { formerName } from '../model/lists.ts';
import type { OrganizationModel } from '../model/organization-model.ts';
import { notFound, Refused } from '../model/refusal.ts';
import type { Window } from '../model/window.ts';
import { attributesOf } from '../model/history.ts';
import type { Made } from '../model/keyed.ts';
import type { Plan, WeightedPlan } from '../plan.ts';
import { someId, type Planner } from '../planner.ts';
import { same, type Fields } from '../same.ts';
import { Violation } from '../violation.ts';
import { leadValue, noteErased } from './conversations.ts';
import { lastSenders } from './incoming-sms.ts';
import { messagesOf, ofLead } from './inquiries.ts';
import { greatWriter } from './new-inquiries.ts';

/** Maximum number of changes per request: the lead, and ten steps of what remains of it. */
const maxChanges = 11;

const done = { message: 'Lead erased successfully', done: true };
const notDone = { message: 'The lead is not erased yet: ask again until it is', done: false };

/** Leads whose erasure was last asked for, by organization. Other clients ask for it again. */
const lastErased = new WeakMap<OrganizationModel, string[]>();

/**
 * Id of a lead to erase: usually one that has just sent something or was just deleted, whose erasure is
 * under way, which a webhook is being sent, or about which an answer is still on its way.
 */
function someErased(planner: Planner): string {
  const { draw, organization } = planner;
  if (organization.beingSent.size > 0 && draw.happens(0.3)) return draw.pick([...organization.beingSent]);
  if (organization.answeredLate !== '' && draw.happens(0.3)) return organization.answeredLate;
  const last = lastErased.get(organization) ?? [];
  if (last.length > 0 && draw.happens(0.3)) return draw.pick(last);
  const writer = organization.history(organization.uniqueName('LEAD.email', greatWriter)).last;
  if (writer && draw.happens(0.06)) return String(writer.fields['id']);
  const deleted = organization.lastDeleted;
  if (deleted > 0 && draw.happens(0.3)) return organization.idOf('LEAD', deleted);
  const sender = organization.history(
    leadValue(organization, 'phone', lastSenders.get(organization) ?? ''),
  ).last;
  if (sender && draw.happens(0.2)) return String(sender.fields['id']);
  const inquiry = organization.record('INQUIRY', organization.lastOf('INQUIRY') - draw.whole(0, 5));
  return inquiry && draw.happens(0.5) ? String(inquiry['leadId']) : someId(planner, 'LEAD');
}

/** List of a lead's appointments. */
const appointmentsOf = (organization: OrganizationModel, lead: number) =>
  organization.partitionOf('gsi1', 'APPOINTMENT', { owner: ['LEAD', lead] });

/** Numbers of the members of a list. */
function membersOf(organization: OrganizationModel, partition: string): number[] {
  const list = organization.list(partition);
  return list.pageAt(organization.version, { page: 1, limit: list.count });
}

/** Numbers of the records of a collection that the transaction's events report as erased, in order. */
function reportedErased({ written, organization }: Change, collection: string): number[] {
  return [...written.values()]
    .filter((fields) => fields?.['event'] === `${collection}_ERASED`)
    .sort((one, other) => Number(one!['id']) - Number(other!['id']))
    .map((event) => organization.numberOf(collection, event!['referenceId']));
}

/**
 * Removes as many of a thread's newest messages as the transaction does, and returns the number of those that are left.
 * @throws Refused if the transaction removes others, unless an index that is slow has not shown it the newest
 */
function removeMessages(change: Change, thread: number): number {
  const { organization } = change;
  const list = organization.list(messagesOf(organization, thread));
  const all = list.pageAt(organization.version, { page: 1, limit: list.count });
  const gone = all.filter((number) => change.removes('MESSAGE', number));
  if (!organization.isSlow && !same(gone, all.slice(0, gone.length))) {
    throw new Refused({ status: 0, message: 'the newest messages of a thread go first' });
  }
  for (const number of gone) change.remove('MESSAGE', number);
  return all.length - gone.length;
}

function removeInquiry(change: Change, number: number): void {
  const { organization } = change;
  const inquiry = change.get('INQUIRY', number)!;
  const source = String(inquiry['source']);
  if (source === 'SMS') {
    const thread = Number(inquiry['sourceId']);
    if (removeMessages(change, thread) > 0)
      throw new Refused({ status: 0, message: 'a thread goes with all its messages' });
    change.remove('THREAD', thread);
  } else change.remove(source, organization.numberOf(source, inquiry['sourceId']));
  change.remove('INQUIRY', number);
  change.event('INQUIRY_ERASED', 'The inquiry was erased', organization.idOf('INQUIRY', number));
}

function removeAppointment(change: Change, number: number): void {
  const { id, attendances } = change.get('APPOINTMENT', number)!;
  for (const attendance of attendances as number[]) change.remove('ATTENDANCE', attendance);
  change.remove('APPOINTMENT', number);
  change.event('APPOINTMENT_ERASED', 'An appointment was erased', String(id));
}

/** Removes some messages of the one thread that is too long for one transaction. */
function removePart(change: Change, lead: number, left: readonly number[]): void {
  const { organization } = change;
  for (const number of left) {
    const { source, sourceId } = change.get('INQUIRY', number)!;
    if (source !== 'SMS') continue;
    const list = organization.list(messagesOf(organization, Number(sourceId)));
    const before = list.count;
    if (removeMessages(change, Number(sourceId)) === before) continue;
    const id = organization.idOf('INQUIRY', number);
    change.event('SMS_ERASED', 'Messages of the conversation by SMS were erased', id);
    const former = formerName(organization.nameOf('LEAD', lead));
    change.put(former, { ...organization.history(former).last?.fields, revision: change.version });
    return;
  }
  throw new Refused({ status: 0, message: 'nothing is left of the lead' });
}

/**
 * One step of an erasure: the lead, then some of its inquiries, or the newest messages of a long thread, then some of its
 * appointments.
 */
function storeStep(change: Change, lead: number): void {
  const { organization } = change;
  const id = organization.idOf('LEAD', lead);
  if (lead < 1 || lead > organization.lastOf('LEAD')) throw new Refused(notFound);
  const left = membersOf(organization, ofLead(organization, lead));
  const booked = membersOf(organization, appointmentsOf(organization, lead));
  const erased = reportedErased(change, 'INQUIRY');
  const cleared = reportedErased(change, 'APPOINTMENT');
  const before = change.get('LEAD', lead);
  if (before) {
    noteErased(change, String(before['phone']));
    change.remove('LEAD', lead);
    change.event('LEAD_DELETED', 'The lead was deleted', id);
  } else {
    const isOther = erased.some((number) => !left.includes(number));
    // An index that is slow may not show the inquiries, which go first.
    const isTooEarly = cleared.length > 0 && left.length > 0 && !organization.isSlow;
    if (isOther || isTooEarly || cleared.some((number) => !booked.includes(number)))
      throw new Refused({ status: 0, message: 'those are not what is left of the lead' });
    for (const number of erased) removeInquiry(change, number);
    for (const number of cleared) removeAppointment(change, number);
    if (erased.length + cleared.length === 0) removePart(change, lead, left);
  }
  if (erased.length + cleared.length === left.length + booked.length)
    change.event('LEAD_ERASED', 'The lead was erased, with its inquiries and messages', id);
}

/** Asks for the erasure of a person, repeatedly until it is done. */
export function eraseLead(planner: Planner): Plan {
  const { draw, organization } = planner;
  const leadId = someErased(planner);
  const number = organization.numberOf('LEAD', leadId);
  lastErased.set(organization, [leadId, ...(lastErased.get(organization) ?? [])].slice(0, 3));
  const list = organization.collection('LEAD');
  // Some clients give up, so that others must continue the erasure.
  const patience = draw.happens(0.2) ? 0 : 30;
  let asked = 0;
  return {
    operation: 'eraseLead',
    isInParts: true,
    organization,
    call: { endpoint: 'eraseLead', params: { leadId } },
    stages: ({ made }) => [
      {
        stage: made.length,
        store: (change: Change) => {
          storeStep(change, number);
          return {};
        },
      },
    ],
    check: (body, window, { made }) => {
      checkAnswer(body as Fields, window, { number, made });
    },
    refusals: (window) => (number < 1 || window.canBeUnknown(list, number) ? [notFound] : []),
    erased: (body) => (same(body, done) ? number : undefined),
    asksAgain: (body) => same(body, notDone) && asked++ < patience,
  };
}

function checkAnswer(
  body: Fields,
  window: Window,
  { number, made }: { number: number; made: readonly Made[] },
): void {
  const { organization } = window;
  const rightly = number >= 1 && number <= organization.lastOf('LEAD');
  if (!rightly || !(same(body, done) || same(body, notDone)) || made.length > maxChanges) {
    throw new Violation('A step of an erasure must report whether more is left', [done, notDone], {
      number,
      body,
      changes: made.length,
    });
  }
  if (same(body, done)) {
    checkErased(organization, number);
    return;
  }
  const lists = [ofLead, appointmentsOf].map((listOf) => organization.list(listOf(organization, number)));
  const wasLeft =
    window.present('LEAD', number).length > 0 ||
    lists.some((list) => window.statesByOwner(list).some(({ count }) => count > 0));
  // What is being sent to a webhook may have been read before.
  const maySend = organization.lastOf('WEBHOOK') > 0;
  if (!wasLeft && !maySend) {
    throw new Violation('An unfinished erasure must have something left to erase', done, body);
  }
}

/**
 * Checks that only events remain of a lead: no record of it, no item that contains its ids, inquiries' ids,
 * lists or unique words. Searches the model, which equals the table. @throws Violation
 */
function checkErased(organization: OrganizationModel, lead: number): void {
  const { items } = organization.belongings.of(lead);
  const left = [...items].filter((name) => organization.history(name).last !== undefined);
  if (left.length > 0) throw wrong('no record of the lead', left);
  const words = [...idsOf(organization, items), ...organization.belongings.wordsOfNoOtherLead(lead)];
  const lists = [...items].map((name) => `${name.replace(' ', '#')}#`);
  const former = formerName(organization.nameOf('LEAD', lead));
  for (const [name, stored] of organization.stored()) {
    if (name.startsWith(`ORG#${organization.code}#EVENT `)) continue;
    if (name === former && same(stored.fields['lists'], {})) continue;
    const text = `${name} ${JSON.stringify(attributesOf(stored))}`;
    const found = [...words, ...lists].filter((word) => text.includes(word));
    if (found.length > 0) throw wrong('no item that contains data of the lead', { name, stored, found });
  }
}

/** Public ids of these records if they are strings. Numeric ids are not unique among collections. */
function idsOf(organization: OrganizationModel, names: ReadonlySet<string>): string[] {
  return [...names].flatMap((name) => {
    const [, collection = '', number] = /#(\w+) (\d+)$/.exec(name) ?? [];
    const id = organization.idOf(collection, Number(number));
    return id.startsWith('_') ? [] : [id];
  });
}

const wrong = (expected: unknown, observed: unknown) =>
  new Violation('A finished erasure must leave only events of the lead', expected, observed);

export const plans: readonly WeightedPlan[] = [[eraseLead, 2]];
