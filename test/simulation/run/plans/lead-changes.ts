import { someIfMatch } from '../conditions.ts';
import { numberIn } from '../model/ids.ts';
import { countInPipeline, inStatus, leadStatuses } from '../model/pipeline.ts';
import { storedNumber } from '../model/phone-numbers.ts';
import { invalid, notFound, Refused, refusalsOf } from '../model/refusal.ts';
import { once, type Plan, type WeightedPlan } from '../plan.ts';
import { inSpace, someId, withNulls, type Planner } from '../planner.ts';
import { same, without, type Fields } from '../same.ts';
import { isOptedOut } from '../model/opt-outs.ts';
import {
  inActivities,
  shownLead,
  someEmail,
  someFirstName,
  someLastName,
  somePhone,
  takenIn,
} from './leads.ts';

/** Name fields as clients send them. */
function someNames(planner: Planner): Fields {
  const { draw } = planner;
  const [firstName, lastName] = [someFirstName(planner), someLastName(planner)];
  return draw.weighted<Fields>([
    [{}, 6],
    [{ firstName: inSpace(planner, firstName) }, 2],
    [{ lastName }, 1],
    [{ name: `${firstName} ${lastName}` }, 1],
    [{ name: `${firstName} ${lastName}`, firstName: 'Bo' }, 0.5],
    [{ name: '', lastName }, 0.3],
    [{ firstName: '' }, 0.3],
  ]);
}

/**
 * First and last name that a client asks for: each as given, or else from the full name; undefined if neither
 * is given.
 */
function namesIn({ name, firstName, lastName }: Fields): Fields {
  const [first, last] = name ? /^(\S*) ?(.*)$/su.exec((name as string).trim())!.slice(1) : [];
  const given = name
    ? { firstName: firstName || first, lastName: lastName || last }
    : { firstName, lastName };
  return Object.fromEntries(
    Object.entries(given).flatMap(([field, text]) =>
      text === undefined ? [] : [[field, (text as string).trim()]],
    ),
  );
}

/** Changes a lead: its personal data, its status, or whether it is read. */
export function updateLead(planner: Planner): Plan {
  const { draw, organization } = planner;
  const leadId = someId(planner, 'LEAD');
  const number = numberIn(leadId, 'lead', organization.code);
  const { headers, tags } = someIfMatch(planner, 'lead', leadId);
  const given: Fields = {
    ...(draw.happens(0.4) && someNames(planner)),
    ...(draw.happens(0.15) && { email: draw.happens(0.2) ? '' : someEmail(planner) }),
    ...(draw.happens(0.15) && { phone: draw.happens(0.2) ? '' : somePhone(planner) }),
    ...(draw.happens(0.15) && { suburb: draw.pick(['Leichhardt', 'Newtown', '']) }),
    ...(draw.happens(0.1) && { businessName: draw.pick(['Annex', 'Éclair', '']) }),
    ...(draw.happens(0.1) && { socials: draw.pick([{}, { x: '@ann' }]) }),
    ...(draw.happens(0.6) && { status: draw.pick(leadStatuses) }),
    ...(draw.happens(0.3) && { read: draw.happens(0.7) }),
  };
  const changes = { ...without(given, 'name', 'firstName', 'lastName'), ...namesIn(given) };
  const phone = changes['phone'];
  /** Applies the changes to a lead. @throws Refused */
  const changed = (before: Fields): Fields => {
    const number = phone ? storedNumber(phone as string, organization.country, 'phone') : phone;
    const after: Fields = { ...before, ...changes, ...(number !== undefined && { phone: number }) };
    if (after['firstName'] === '' && before['firstName'] !== '') {
      throw new Refused(invalid({ field: 'firstName', message: 'must not be empty' }));
    }
    return after;
  };
  return {
    operation: 'updateLead',
    organization,
    call: {
      endpoint: 'updateLead',
      params: { leadId },
      body: JSON.stringify(
        withNulls(planner, given, ...['name', 'lastName', 'email', 'phone', 'socials', 'status', 'read']),
      ),
      headers,
    },
    stages: once((change) => {
      const before = change.get('LEAD', number);
      if (!before) throw new Refused(notFound('lead'));
      tags.check(shownLead(before));
      const given = changed(before);
      const hasNewPhone = given['phone'] !== before['phone'];
      const after = hasNewPhone ? { ...given, isOptedOut: isOptedOut(change, given['phone']) } : given;
      if (same(before, after)) throw new Refused({ status: 200, message: 'nothing changes' });
      const { status } = after;
      const stored = { ...after, updatedAt: change.now };
      const lead = change.replace('LEAD', number, stored, [inStatus(organization, status)]);
      const activity = inActivities(organization, number);
      const isMoved = status !== before['status'];
      const isChanged = !same(without(before, 'status', 'read'), without(after, 'status', 'read'));
      if (isChanged) change.event('LEAD_UPDATED', 'The lead was changed', leadId, [activity]);
      if (isMoved) {
        countInPipeline(change, status as (typeof leadStatuses)[number]);
        const values = { from: before['status'], to: status };
        const data = `Status changed from ${String(values.from)} to ${String(values.to)}`;
        change.event('LEAD_STATUS_CHANGED', { data, values }, leadId, [activity]);
      }
      if (!isChanged && !isMoved) {
        const mark = after['read'] ? 'read' : 'unread';
        change.event('LEAD_MARKED', `The lead was marked as ${mark}`, leadId);
      }
      return { lead: shownLead(lead) };
    }),
    refusals: (window) => [
      ...(window.canMiss('LEAD', number) ? [notFound('lead')] : []),
      ...window.spans('LEAD', number).flatMap(({ fields: before, ...versions }) => {
        if (!tags.fits(shownLead(before))) return tags.refusalsOf([shownLead(before)]);
        const wrong = refusalsOf(() => changed(before));
        if (wrong.length > 0) return wrong;
        // Both of one version: the lead, and the owner of the email or phone number.
        return takenIn(window, 'LEAD', changed(before), { own: leadId, versions });
      }),
    ],
    unchanged: (window) =>
      window
        .present('LEAD', number)
        .filter((before) => tags.fits(shownLead(before)) && refusalsOf(() => changed(before)).length === 0)
        .filter((before) => same(before, changed(before)))
        .map((lead) => ({ lead: shownLead(lead) })),
  };
}

export const plans: readonly WeightedPlan[] = [[updateLead, 9]];
