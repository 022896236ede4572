import { readable } from '../contracts.ts';
import type { OrganizationModel } from '../model/organization-model.ts';
import type { CompletedProgress, Plan, WeightedPlan } from '../plan.ts';
import type { Planner } from '../planner.ts';
import { recordAt } from '../records-at.ts';
import { same, type Fields } from '../same.ts';
import { checkOneOf, Violation } from '../violation.ts';

/** Kinds of event that clients see by another name. */
const names: Record<string, string> = {
  LEAD_MARKED: 'LEAD_UPDATED',
  SMS_CREATED: 'INQUIRY_UPDATED',
  SMS_ACCEPTED: 'INQUIRY_UPDATED',
  SMS_ERASED: 'INQUIRY_UPDATED',
  TIME_ZONE_CHANGED: 'ORGANIZATION_UPDATED',
};

type May = CompletedProgress['may'];

/** The collection that an event is about, and the subject of its scope; undefined for what clients see as OTHER. */
export function aboutOf(event: string): [collection: string, subject: string] | undefined {
  // Operators add and remove numbers.
  if (event.startsWith('NUMBER_')) return undefined;
  const [first = ''] = event.split('_');
  const collection = { SMS: 'INQUIRY', TIME: 'ORGANIZATION', NOTES: 'COMPANY' }[first] ?? first;
  const subject = readable.get(collection);
  return subject === undefined ? undefined : [collection, subject];
}

/** Records of these collections have at most one event of a change in a write. */
const changedOnce =
  /^(?:FAQ|POLICY|CATEGORY|COMPANY|NOTE|PRODUCT|SERVICE|TRANSFER|SCENARIO|APPOINTMENT|WEBHOOK)_(?!SECRET)/;
/** Fields of these events can look as before: a new number of a lead may have opted out already. */
const mayLookAsBefore = /^(?:LEAD_OPTED|SMS|TOKEN|MEMBER_SCHEDULE)_/;

/** The changed fields of an event, compared with the record before and after its write. */
function changedFieldsOf(
  organization: OrganizationModel,
  { event, referenceId, fields }: Fields,
  write: number,
) {
  const [collection = ''] = aboutOf(String(event)) ?? [];
  const named = fields as readonly string[];
  if (mayLookAsBefore.test(String(event))) return named;
  const id = /^\d+$/.test(String(referenceId)) ? Number(referenceId) : referenceId;
  const record = { collection, number: organization.numberOf(collection, id) };
  const [before, after] = [write - 1, write].map((version) => recordAt(organization, version, record) ?? {});
  const differing = Object.keys(after!).filter(
    (name) => name !== 'updatedAt' && !same(before![name], after![name]),
  );
  const isRight = changedOnce.test(String(event))
    ? same(named, differing)
    : named.every((name) => differing.includes(name));
  if (!isRight)
    throw new Violation('An event of a change must name the fields that changed', differing, named);
  return named;
}

/** An event as a client sees it. */
export function shownEvent(organization: OrganizationModel, number: number, may: May): Fields {
  const stored = organization.history(organization.nameOf('EVENT', number)).last!;
  const { id, event, data, referenceId, userId, tokenId, requestId, createdAt } = stored.fields;
  const about = aboutOf(String(event));
  const reference = Number.isNaN(Number(referenceId)) ? referenceId : Number(referenceId);
  let write = number;
  const touchedAt = (at: number) => organization.history(organization.nameOf('EVENT', at)).last?.touched;
  while (touchedAt(write) === undefined) write++;
  const changed = `${stored.touched ?? ''} ${stored.shown ?? ''}`.split(' ').flatMap((name) => {
    const [, minus, collection = '', digits] = /^(-?)(\w+)#(\d+)$/.exec(name) ?? [];
    const subject = readable.get(collection);
    // A token is no record of the feed: the day of its last use changes without an event.
    if (subject === undefined || collection === 'TOKEN' || !may(`${subject}:read`)) return [];
    const id = organization.publicIdOf(collection, Number(digits));
    return [{ type: collection.toLowerCase(), id, revision: write, isRemoved: minus === '-' }];
  });
  return {
    id,
    type: about ? (names[String(event)] ?? event) : 'OTHER',
    createdAt,
    userId,
    tokenId: tokenId ?? null,
    requestId: requestId ?? null,
    ...(about && may(`${about[1]}:read`) && { recordId: reference }),
    summary: data,
    ...(about &&
      may(`${about[1]}:read`) &&
      stored.fields['fields'] !== undefined && {
        changedFields: changedFieldsOf(organization, stored.fields, write),
      }),
    write,
    changed: inOrder(changed),
  };
}

/** The order of records of a write is not guaranteed. */
export const inOrder = (changed: readonly Fields[]): Fields[] =>
  changed.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));

/** Number of the last event that the follower of each organization has seen. */
const seen = new WeakMap<OrganizationModel, number>();

/** Follows the events while others write, or reads from any number on. */
export function listEvents({ draw, organization }: Planner): Plan {
  const follows = draw.happens(0.7);
  const after = follows ? (seen.get(organization) ?? 0) : draw.whole(0, organization.version + 2);
  const limit = draw.pick([1, 3, 10, 50, 100]);
  const isCurrent = !draw.happens(0.05);
  const at = draw.happens(0.5) ? `@${isCurrent ? organization.epoch : 'ZZZZZZ'}` : '';
  const isGone = at !== '' && !isCurrent;
  return {
    operation: 'listEvents',
    organization,
    call: { endpoint: 'listEvents', query: { after: `${after}${at}`, limit: String(limit) } },
    check: (body, window, { may }) => {
      const { events, ...page } = body as Fields & { events: Fields[] };
      const { version, nextAfter } = page as Record<string, number>;
      const [least, most] = [window.version, organization.version];
      if (isGone || !(version! >= least && version! <= most) || nextAfter! < Math.min(after + limit, least)) {
        throw new Violation(
          'A page of events must have all that was there as it began',
          { least, most },
          page,
        );
      }
      const numbers = Array.from({ length: nextAfter! - after }, (_, index) => after + 1 + index);
      const expected = {
        records: [],
        nextAfter: Math.min(nextAfter!, version!, after + limit),
        version,
        epoch: organization.epoch,
        events: numbers.map((number) => shownEvent(organization, number, may)),
      };
      const observed = events.map((event) => ({ ...event, changed: inOrder(event['changed'] as Fields[]) }));
      checkOneOf('A page of events must have each event once, in order', [expected], {
        ...page,
        events: observed,
      });
    },
    refusals: (window) => [...(isGone ? [410] : []), ...(after > window.version ? [400] : [])],
    then: (body) => {
      const { nextAfter } = body as { nextAfter: number };
      if (follows) seen.set(organization, Math.max(nextAfter, seen.get(organization) ?? 0));
    },
  };
}

export const plans: readonly WeightedPlan[] = [[listEvents, 6]];
