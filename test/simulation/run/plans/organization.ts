import { openStateAt } from '../../../../shared/domain/organizations/opening-hours.ts';
import { invalid, Refused, unlessRefused } from '../model/refusal.ts';
import type { OrganizationModel } from '../model/organization-model.ts';
import type { Window } from '../model/window.ts';
import { nothingChanges, once, type Plan, type WeightedPlan } from '../plan.ts';
import { someIfMatch, someIfNoneMatch, type Planner } from '../planner.ts';
import { same, without, type Fields } from '../same.ts';
import { moveToTimeZone, zones } from './pipeline.ts';

const idOf = ({ code }: OrganizationModel) => `org_${code}`;

/** The organization as the API shows it: its own record, its pipeline's time zone, and its country. */
export const shownOrganization = ({ country }: OrganizationModel, own: Fields, pipeline: Fields): Fields => ({
  ...without(own, 'numbers', 'createdAt'),
  ...{ timeZone: pipeline['timeZone'], country },
});

/** The organization as it was at each version of the window. */
export const statesIn = (window: Window): Fields[] =>
  window
    .spans('ORGANIZATION', 1)
    .flatMap(({ fields, ...versions }) =>
      window
        .valuesWithin(window.organization.nameOf('PIPELINE', 1), versions)
        .flatMap((stored) => (stored ? [shownOrganization(window.organization, fields, stored.fields)] : [])),
    );

export function getOrganization(planner: Planner): Plan {
  const { organization } = planner;
  const { headers, tags } = someIfNoneMatch(planner, '', idOf(organization));
  return {
    operation: 'getOrganization',
    organization,
    call: { endpoint: 'getOrganization', headers },
    ifNoneMatch: tags,
    unchanged: statesIn,
  };
}

/** Hours of a week as they are stored: a day without any is there too. */
export const allDays = (given: Fields = {}): Fields => ({
  ...{ monday: [], tuesday: [], wednesday: [], thursday: [], friday: [], saturday: [], sunday: [] },
  ...given,
});

const shortDay = [{ from: '22:00', to: '02:00' }];

/** Changes of settings, alone and with the time zone, which another record has. */
export function updateOrganization(planner: Planner): Plan {
  const { draw, organization } = planner;
  const { headers, tags } = someIfMatch(planner, '', idOf(organization));
  const given: Fields = {
    ...(draw.happens(0.3) && { name: `Business ${draw.whole(1, 9)}` }),
    ...(draw.happens(0.2) && { businessPhone: draw.pick(['', '+61255501234']) }),
    ...(draw.happens(0.4) && { timeZone: draw.pick(zones) }),
    ...(draw.happens(0.2) && { openingHours: draw.pick([{}, { monday: [] }, { friday: shortDay }]) }),
    ...(draw.happens(0.2) && {
      holidays: [{ date: '2026-12-25', name: 'Christmas Day', hours: draw.pick([[], shortDay]) }],
    }),
    ...(draw.happens(0.1) && { areasServed: draw.pick([[], ['Glebe', '2040']]) }),
    ...(draw.happens(0.1) && { country: draw.pick(['AU', 'NZ']) }),
  };
  /** The organization with the changes. @throws Refused */
  const changed = (before: Fields): Fields => {
    tags.check(before);
    if ((given['country'] ?? organization.country) !== organization.country) {
      const message = `is ${organization.country} for good, and cannot be changed`;
      throw new Refused(invalid({ field: 'country', message }));
    }
    const hours = given['openingHours'] as Fields | undefined;
    return { ...before, ...given, ...(hours && { openingHours: allDays(hours) }) };
  };
  return {
    operation: 'updateOrganization',
    organization,
    call: { endpoint: 'updateOrganization', body: JSON.stringify(given), headers },
    stages: once((change) => {
      const [own, pipeline] = [change.get('ORGANIZATION', 1)!, change.get('PIPELINE', 1)!];
      const before = shownOrganization(organization, own, pipeline);
      const after = changed(before);
      if (same(before, after)) throw new Refused(nothingChanges);
      const { timeZone, country, ...settings } = after;
      change.replace('ORGANIZATION', 1, { ...own, ...settings });
      if (!same(without(before, 'timeZone', 'country'), settings))
        change.event('ORGANIZATION_UPDATED', 'The organization was changed', idOf(organization));
      if (timeZone !== before['timeZone']) moveToTimeZone(change, String(timeZone));
      return after;
    }),
    unchanged: (window) =>
      statesIn(window).filter((before) =>
        same(
          before,
          unlessRefused(() => changed(before)),
        ),
      ),
  };
}

export function getOrganizationHours({ draw, organization }: Planner): Plan {
  const at = new Date(Date.parse('2026-12-24T00:00:00.000Z') + draw.whole(0, 200) * 900_000).toISOString();
  return {
    operation: 'getOrganizationHours',
    organization,
    call: { endpoint: 'getOrganizationHours', query: { at } },
    unchanged: (window) =>
      statesIn(window).map((state) =>
        openStateAt(state as unknown as Parameters<typeof openStateAt>[0], Date.parse(at)),
      ),
  };
}

export const plans: readonly WeightedPlan[] = [
  [getOrganization, 2],
  [updateOrganization, 2],
  [getOrganizationHours, 1],
];
