import * as v from 'valibot';
import type { OrganizationCode } from '../../../shared/core/ids.ts';
import { organizations } from '../../../shared/domain/organizations/organizations.ts';
import { phoneNumberKey, recordKey } from '../../../shared/ledger/internal/keys.ts';
import { PhoneNumberOwner } from '../../../shared/ledger/internal/phone-number-claims.ts';
import type { Finding, Mend } from './finding.ts';
import type { Scene } from './scene.ts';
import type { Judge, Look } from './snapshots.ts';

/** The number of an organization's own record. */
const ownRecord = 1;

/** Proves that each phone number that the organization's record names is held for it. */
export async function settlePhoneNumbers(scene: Scene): Promise<void> {
  const [numbers = []] = await scene.settle([(look) => numbersOf(look, scene.organization) ?? []]);
  await scene.settleFindings(numbers.map((phone) => judgeNamed(scene, phone)));
}

function judgeNamed(scene: Scene, phone: string): Judge<Finding | undefined> {
  const { organization } = scene;
  const where = scene.nameOf(organizations.name, ownRecord);
  const key = phoneNumberKey(phone);
  const mend: Mend = {
    sentence: 'holds it for the organization',
    apply: (draft) => {
      draft.put(key, { organization });
    },
  };
  return (look) => {
    const numbers = numbersOf(look, organization);
    const item = look(key);
    if (!numbers?.includes(phone)) return undefined;
    const claim = v.safeParse(PhoneNumberOwner, item);
    if (claim.success && claim.output.organization === organization) return undefined;
    const what = `${where} has the phone number ${shown(phone)}, which`;
    if (!claim.success) {
      const sentence = `${what} is held for no organization: texts to it fail.`;
      return { kind: 'number-missing', where, sentence, mend };
    }
    const sentence = `${what} is held for ${claim.output.organization}: texts to it go there.`;
    return { kind: 'number-of-other', where, sentence };
  };
}

/**
 * Whether the organization for which a phone number is held has it. A write of that organization releases it; where its
 * record is lost, the number stays held for it.
 */
export function judgeClaim(phone: string): Judge<Finding | undefined> {
  const key = phoneNumberKey(phone);
  const where = `NUMBER#${shown(phone)}`;
  return (look) => {
    const item = look(key);
    if (!item) return undefined;
    const claim = v.safeParse(PhoneNumberOwner, item);
    if (!claim.success) {
      const sentence = `The phone number ${where} is held for what is no organization.`;
      return { kind: 'number-of-nobody', where, sentence };
    }
    const { organization } = claim.output;
    const numbers = numbersOf(look, organization);
    if (numbers?.includes(phone)) return undefined;
    const why = numbers ? 'which does not have it' : 'whose own record cannot be read';
    const sentence = `The phone number ${where} is held for ${organization}, ${why}.`;
    const mend: Mend = {
      sentence: 'releases it',
      apply: (draft) => {
        draft.remove(key);
      },
      organization,
    };
    return { kind: 'number-of-nobody', where, sentence, ...(numbers && { mend }) };
  };
}

/** The phone numbers of an organization's record; undefined where it is not there, or cannot be read. */
function numbersOf(look: Look, organization: OrganizationCode): readonly string[] | undefined {
  const record = v.safeParse(
    organizations.schema,
    look(recordKey(organization, organizations.name, ownRecord)),
  );
  return record.success ? record.output.numbers.map(({ number }) => number) : undefined;
}

/** Enough of a phone number to know it again among an organization's few. */
const shown = (phone: string): string => `…${phone.slice(-4)}`;
