import { formerName } from '../model/lists.ts';
import type { OrganizationModel } from '../model/organization-model.ts';
import type { Window } from '../model/window.ts';
import { attributesOf } from '../model/history.ts';
import type { Made } from '../model/keyed.ts';
import type { Plan, WeightedPlan } from '../plan.ts';
import { someId, type Planner } from '../planner.ts';
import { same, type Fields } from '../same.ts';
import { Violation } from '../violation.ts';
import { lastSenders } from './incoming-sms.ts';
import { greatWriter } from './inquiries.ts';
import { leadValue } from './lead-search.ts';

/** Maximum number of changes per request: the lead, and ten steps of what remains of it. */
const maxChanges = 11;

const done = { message: 'Lead erased successfully', done: true };
const notDone = { message: 'The lead is not erased yet: ask again until it is', done: false };

/** Leads that clients last asked to erase, by organization. Other clients ask for the erasure again. */
const lastErased = new WeakMap<OrganizationModel, string[]>();

/**
 * Id of a lead to erase. Usually the lead has just sent or booked something, or was just deleted. Otherwise its
 * erasure is under way, a webhook is being sent about it, or an answer about it is still on its way.
 */
function someErased(planner: Planner): string {
  const { draw, organization } = planner;
  if (organization.beingSent.size > 0 && draw.happens(0.6)) return draw.pick([...organization.beingSent]);
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
  const { leadId: booked } =
    organization.record('APPOINTMENT', organization.lastOf('APPOINTMENT') - draw.whole(0, 5)) ?? {};
  if (typeof booked === 'string' && draw.happens(0.3)) return booked;
  const inquiry = organization.record('INQUIRY', organization.lastOf('INQUIRY') - draw.whole(0, 5));
  return inquiry && draw.happens(0.5) ? String(inquiry['leadId']) : someId(planner, 'LEAD');
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
    organization,
    call: { endpoint: 'eraseLead', params: { leadId } },
    store: (change) => void change.observe(),
    check: (body, window, { made }) => {
      checkAnswer(body as Fields, window, { number, made });
    },
    refusals: (window) => (number < 1 || window.canBeUnknown(list, number) ? [404] : []),
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
  const ofLead = { owner: ['LEAD', number] } as const;
  const lists = [
    organization.list(organization.partitionOf('gsi2', 'INQUIRY', ofLead)),
    organization.list(organization.partitionOf('gsi1', 'APPOINTMENT', ofLead)),
  ];
  const wasLeft =
    window.present('LEAD', number).length > 0 ||
    lists.some((list) => window.statesByOwner(list).some(({ count }) => count > 0));
  // Data that is being sent to a webhook may have been read before.
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
    const id = organization.publicIdOf(collection, Number(number));
    return typeof id === 'string' ? [id] : [];
  });
}

const wrong = (expected: unknown, observed: unknown) =>
  new Violation('A finished erasure must leave only events of the lead', expected, observed);

export const plans: readonly WeightedPlan[] = [[eraseLead, 2]];
