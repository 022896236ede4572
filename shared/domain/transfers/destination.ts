import type { Transfer } from '../../contract/transfers.ts';
import { members } from '../members/members.ts';
import { toE164 } from '../phone/phone-number.ts';
import { noSuch } from '../../core/failure.ts';
import type { Ledger, RecordOf, RecordRef } from '../../ledger/index.ts';

type Destination = Pick<Transfer, 'destinationType' | 'destination'>;

/** Read of the member that a destination names, for a write to check; nothing for an impossible id. */
export function memberNamed(
  ledger: Ledger,
  destination: string | undefined,
): { member?: { ref: RecordRef<typeof members>; mayBeAbsent: true } } {
  const ref = destination === undefined ? undefined : ledger.tryRef(members, destination);
  return ref ? { member: { ref, mayBeAbsent: true } } : {};
}

/**
 * A destination as stored: a phone number in E.164, a member's id, or a department's text as given. A
 * national phone number is one of `country`. `member` is the record that `memberNamed` asked for.
 * @throws Failure `invalid` naming `destination`, for an invalid number or an unknown member
 */
export async function checkedDestination(
  { destinationType, destination }: Destination,
  country: string,
  member: RecordOf<typeof members> | undefined,
): Promise<string> {
  switch (destinationType) {
    case 'DEPARTMENT':
      return destination;
    case 'PHONE_NUMBER':
      return toE164(destination, country, 'destination');
    case 'MEMBER':
      if (String(member?.id) !== destination) throw noSuch(members.label, 'destination');
      return destination;
  }
}
