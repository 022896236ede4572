import { invalid } from '../../core/failure.ts';
import type { Ledger } from '../../ledger/index.ts';
import { recordEvent } from '../events/record-event.ts';
import { organizations, type PhoneNumber } from '../settings/organization-record.ts';

/** Number of phone numbers that an organization can have. */
export const maxNumbers = 20;

const ownRecord = (ledger: Ledger) => ledger.ref(organizations, 1);

/** The organization's phone numbers. @throws Failure `notFound` for the organization */
export async function listNumbers(ledger: Ledger): Promise<readonly PhoneNumber[]> {
  return (await ledger.get(ownRecord(ledger))).numbers;
}

/**
 * Gives the organization a phone number in E.164. From then on the organization gets the SMS to that number. One
 * transaction, or none if it has the number with this ARN already. If only its record has the number, the number is
 * claimed again. Returns true if anything changed.
 * @throws Failure `notFound` for the organization; `conflict` if another organization has the number; `invalid` beyond
 * `maxNumbers`
 */
export function addNumber(ledger: Ledger, added: PhoneNumber): Promise<boolean> {
  const ref = ownRecord(ledger);
  return ledger.write({ change: { organization: ref } }, async (write, { organization }) => {
    const { numbers } = organization;
    const known = numbers.find(({ number }) => number === added.number);
    if (known?.arn === added.arn && (await write.holdsPhoneNumber(added.number))) return false;
    if (!known && numbers.length >= maxNumbers)
      throw invalid([{ field: 'number', message: `is one too many: there can be ${maxNumbers}` }]);
    const after = known ? numbers.map((one) => (one === known ? added : one)) : [...numbers, added];
    write.replace(ref, { ...organization, numbers: after });
    write.claimPhoneNumber(added.number);
    recordEvent(write, { event: 'NUMBER_ADDED', about: organization.id });
    return true;
  });
}

/**
 * Takes a phone number from the organization. One transaction, or none if it does not have the number. If only its
 * record has the number, and another organization holds the number, that organization keeps it. Returns true if
 * anything changed.
 * @throws Failure `notFound` for the organization
 */
export function removeNumber(ledger: Ledger, removed: string): Promise<boolean> {
  const ref = ownRecord(ledger);
  return ledger.write({ change: { organization: ref } }, async (write, { organization }) => {
    const numbers = organization.numbers.filter(({ number }) => number !== removed);
    if (numbers.length === organization.numbers.length) return false;
    write.replace(ref, { ...organization, numbers });
    if (await write.holdsPhoneNumber(removed)) write.releasePhoneNumber(removed);
    recordEvent(write, { event: 'NUMBER_REMOVED', about: organization.id });
    return true;
  });
}
