import { leadMatches, leadStatuses } from '../../../../shared/contract/leads.ts';
import type { Change } from '../model/change.ts';
import { Refused } from '../model/refusal.ts';
import type { Hint } from '../plan.ts';
import { someUniqueWord, type Planner } from '../planner.ts';
import type { Fields } from '../same.ts';
import { someEmail, someExternalId, someFirstName, someLastName, somePhone } from './contacts.ts';

/** Some parts of an address. A suburb may be among them. */
export const someAddress = (planner: Planner): Fields => ({
  line1: planner.draw.pick(['12 Bay Street', someUniqueWord(planner)]),
  ...(planner.draw.happens(0.5) && { postcode: planner.draw.pick(['2040', '']) }),
  ...(planner.draw.happens(0.3) && { suburb: planner.draw.pick(['Leichhardt', 'Newtown', '']) }),
});

/** Fields of a lead, each with this probability. Some leads have another lead's email, phone number or `externalId`. */
function someFields(planner: Planner, often: number): Fields {
  const { draw } = planner;
  const some = (chance: number, field: string, value: () => unknown) =>
    draw.happens(chance * often) ? { [field]: draw.happens(0.1) ? '' : value() } : {};
  return {
    ...some(0.3, 'lastName', () => someLastName(planner)),
    ...some(0.6, 'email', () => someEmail(planner)),
    ...some(0.5, 'phone', () => somePhone(planner)),
    ...some(0.3, 'externalId', () => someExternalId(planner)),
    ...some(0.2, 'businessName', () => draw.pick(['Annex', 'Éclair', someUniqueWord(planner)])),
    ...(draw.happens(0.3) && {
      ...(draw.happens(0.5) ? { suburb: 'Leichhardt' } : { address: someAddress(planner) }),
      socials: draw.pick([{}, { x: '@ann' }]),
    }),
    ...(draw.happens(0.5) && { status: draw.pick(leadStatuses) }),
    ...(draw.happens(0.3) && { read: draw.happens(0.7) }),
    ...(draw.happens(0.1) && { isOptedOut: draw.happens(0.6) }),
  };
}

/** Fields of a lead that are parts of others: a suburb of the address, the opt-out of the phone number. */
const alsoChanges = ['address', 'suburb', 'name', 'isOptedOut'];

/** A lead must have the opt-out that the body asks for. @throws Refused */
function judge({ organization }: Change, body: Fields, lead: Fields): Fields {
  if ('isOptedOut' in body && lead['isOptedOut'] !== body['isOptedOut'])
    throw new Refused('a lead must be opted out as the body says');
  if (body['isOptedOut'] === true) organization.optedOutByClients.add(String(lead['phone']));
  return {};
}

/** Hints about leads. */
export const leads: Readonly<Record<string, Hint>> = {
  createLead: {
    judge,
    wholeBody: (planner) => ({ firstName: someFirstName(planner), ...someFields(planner, 1) }),
  },
  updateLead: {
    alsoChanges,
    judge,
    wholeBody: (planner) => ({
      ...(planner.draw.happens(0.2) && { firstName: planner.draw.pick(['', someFirstName(planner)]) }),
      ...someFields(planner, 0.4),
    }),
  },
  upsertLead: {
    judge,
    wholeBody: (planner) => ({
      firstName: someFirstName(planner),
      ...someFields(planner, 0.4),
      ...planner.draw.pick([
        { email: someEmail(planner) },
        { phone: somePhone(planner) },
        { externalId: someExternalId(planner) },
      ]),
    }),
    query: ({ draw }, body) => ({ match: draw.pick(leadMatches.filter((field) => body[field])) }),
  },
};
