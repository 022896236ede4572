import { leadStatuses } from '../../../../shared/contract/leads.ts';
import { someUniqueWord, type Planner } from '../planner.ts';
import { only, type Fields } from '../same.ts';
import { someEmail, someExternalId, someFirstName, somePhone } from './contacts.ts';

/** Random fields of one lead. */
function someLead(planner: Planner): Fields {
  const { draw } = planner;
  return {
    firstName: someFirstName(planner),
    ...(draw.happens(0.3) && { suburb: someUniqueWord(planner), status: draw.pick(leadStatuses) }),
    ...(draw.happens(0.3) && { externalId: someExternalId(planner) }),
    ...(draw.happens(0.6) && { email: draw.happens(0.05) ? 'ann' : someEmail(planner) }),
    ...(draw.happens(0.4) && { phone: somePhone(planner) }),
  };
}

/** Random leads of a batch. Some share an email or a phone number with an earlier one, and some are wrong. */
export function someLeads(planner: Planner): Fields[] {
  const { draw } = planner;
  const size = draw.weighted([
    [draw.whole(1, 5), 8],
    [draw.whole(20, 60), 1],
    [100, 0.1],
  ]);
  const leads: Fields[] = [];
  while (leads.length < size) {
    const other = leads.length > 0 && draw.happens(0.05) ? draw.pick<Fields>(leads) : {};
    const shared = ['email', 'phone'].filter((field) => field in other);
    leads.push({ ...someLead(planner), ...only(other, ...shared) });
  }
  return leads;
}
