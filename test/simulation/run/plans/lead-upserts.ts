import { leadMatches } from '../../../../shared/contract/leads.ts';
import { Refused, refusalsOf } from '../model/refusal.ts';
import { anyTag, noneTagged } from '../model/tags.ts';
import type { Window } from '../model/window.ts';
import { once, type Plan, type WeightedPlan } from '../plan.ts';
import { someIfMatch, type Planner } from '../planner.ts';
import { type Fields } from '../same.ts';
import { checkOneOf } from '../violation.ts';
import { someEmail, someExternalId, someFirstName, somePhone, storedNumber } from './contacts.ts';
import { leadValue, leadWith } from './conversations.ts';
import { addLead, changingLead, shownLead, someChanges } from './leads.ts';

/** Result of an upsert that stored something. */
interface Upserted {
  lead: Fields;
  isNew: boolean;
}

/** Changes the lead that has a value, or creates it. */
export function upsertLead(planner: Planner): Plan {
  const { draw, organization } = planner;
  const match = draw.pick(leadMatches);
  const value = { email: someEmail, phone: somePhone, externalId: someExternalId }[match](planner);
  const given: Fields = { ...someChanges(planner), firstName: someFirstName(planner), [match]: value };
  const numberOf = (phone: unknown) => (phone ? storedNumber(phone as string, organization.country) : '');
  const wrong = refusalsOf(() => numberOf(given['phone']));
  const matched = () => (match === 'phone' ? numberOf(value) : value);
  const known = match === 'phone' && wrong.length > 0 ? undefined : leadValue(organization, match, matched());
  const holder = known === undefined ? undefined : organization.history(known).last;
  const { headers, tags } =
    holder || draw.happens(0.1)
      ? someIfMatch(planner, 'lead', holder?.fields['id'])
      : { headers: {}, tags: anyTag };
  const creates = !('If-Match' in headers);
  const asNew = (): Fields => ({ lastName: '', email: '', ...given, phone: numberOf(given['phone']) });
  const changed = (number: number) => changingLead(organization, { number, tags, given });
  /** Numbers of the leads that had the value in the window; undefined while none had it. */
  const holdersIn = (window: Window) =>
    window
      .values(leadValue(organization, match, matched()))
      .map((held) => held && organization.numberOf('LEAD', held.fields['id']));
  const unchanged = (window: Window) =>
    holdersIn(window).flatMap((number) => (number === undefined ? [] : changed(number).unchanged(window)));
  return {
    operation: 'upsertLead',
    organization,
    call: { endpoint: 'upsertLead', query: { match }, body: JSON.stringify(given), headers },
    stages: once((change, request): Upserted => {
      const number = leadWith(change, match, matched());
      if (number !== undefined) {
        const [stage] = changed(number).stages(request);
        return { ...(stage?.store(change) as { lead: Fields }), isNew: false };
      }
      if (!creates) throw new Refused(noneTagged);
      return { lead: shownLead(addLead(change, asNew())), isNew: true };
    }),
    check: (body, window, { made, status, may }) => {
      const stored = made[0]?.response as Upserted | undefined;
      checkOneOf('An upsert must tell whether it created the lead', [stored?.isNew ? 201 : 200], status);
      const leads = stored ? [stored] : (unchanged(window) as { lead: Fields }[]);
      const shown = leads.map(({ lead }) => ({ lead: may('leads:read') ? lead : { id: lead['id'] } }));
      checkOneOf('An upsert must answer the lead as it is then', shown, body);
    },
  };
}

export const plans: readonly WeightedPlan[] = [[upsertLead, 9]];
