import * as v from 'valibot';
import type { OrganizationCode } from '../../../shared/core/ids.ts';
import { organizations } from '../../../shared/domain/organizations/organizations.ts';
import { phoneNumberKey, recordKey } from '../../../shared/ledger/internal/keys.ts';
import { PhoneNumberOwner } from '../../../shared/ledger/internal/other-items.ts';
import type { Finding } from './finding.ts';
import type { Repair } from './repair-plan.ts';
import type { Verification } from './verification.ts';
import type { Check, Snapshot } from './snapshots.ts';

/** Number of an organization's own record. */
const ownRecord = 1;

/** Verifies that each phone number in the organization's record is held for it. */
export async function verifyPhoneNumbers(verification: Verification): Promise<void> {
  const [numbers = []] = await verification.runChecks([
    (snapshot) => numbersOf(snapshot, verification.organization) ?? [],
  ]);
  await verification.confirmFindings(numbers.map((phone) => checkNamed(verification, phone)));
}

function checkNamed(verification: Verification, phone: string): Check<Finding | undefined> {
  const { organization } = verification;
  const where = verification.nameOf(organizations.name, ownRecord);
  const key = phoneNumberKey(phone);
  const repair: Repair = {
    sentence: 'holds it for the organization',
    addTo: (plan) => {
      plan.put(key, { organization });
    },
  };
  return (snapshot) => {
    const numbers = numbersOf(snapshot, organization);
    const item = snapshot.get(key);
    if (!numbers?.includes(phone)) return undefined;
    const claim = v.safeParse(PhoneNumberOwner, item);
    if (claim.success && claim.output.organization === organization) return undefined;
    const what = `${where} has the phone number ${shown(phone)}, which`;
    if (!claim.success) {
      const sentence = `${what} is held for no organization: texts to it fail.`;
      return { kind: 'number-missing', where, sentence, repair };
    }
    const sentence = `${what} is held for ${claim.output.organization}: texts to it go there.`;
    return { kind: 'number-of-other-organization', where, sentence };
  };
}

/**
 * Checks that the organization for which a phone number is held has it. A write of that organization releases
 * the number. If the organization's record is lost, the number stays held.
 */
export function checkClaim(phone: string): Check<Finding | undefined> {
  const key = phoneNumberKey(phone);
  const where = `NUMBER#${shown(phone)}`;
  return (snapshot) => {
    const item = snapshot.get(key);
    if (!item) return undefined;
    const claim = v.safeParse(PhoneNumberOwner, item);
    if (!claim.success) {
      const sentence = `The phone number ${where} is held for what is no organization.`;
      return { kind: 'number-without-organization', where, sentence };
    }
    const { organization } = claim.output;
    const numbers = numbersOf(snapshot, organization);
    if (numbers?.includes(phone)) return undefined;
    const why = numbers ? 'which does not have it' : 'whose own record cannot be read';
    const sentence = `The phone number ${where} is held for ${organization}, ${why}.`;
    const repair: Repair = {
      sentence: 'releases it',
      addTo: (plan) => {
        plan.remove(key);
      },
      organization,
    };
    return { kind: 'number-without-organization', where, sentence, ...(numbers && { repair }) };
  };
}

/** Undefined if the organization's record is missing or malformed. */
function numbersOf(snapshot: Snapshot, organization: OrganizationCode): readonly string[] | undefined {
  const record = v.safeParse(
    organizations.schema,
    snapshot.get(recordKey(organization, organizations.name, ownRecord)),
  );
  return record.success ? record.output.numbers.map(({ number }) => number) : undefined;
}

/** Last four digits: enough to tell an organization's few numbers apart. */
const shown = (phone: string): string => `…${phone.slice(-4)}`;
