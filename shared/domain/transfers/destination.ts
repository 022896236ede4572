import type { Transfer } from '../../contract/transfers.ts';
import type { RecordRef, RecordOf } from '../../ledger/internal/collection.ts';
import type { Ledger } from '../../ledger/internal/ledger.ts';
import { members } from '../members/members.ts';
import { toE164 } from '../phone/phone-number.ts';
import { noSuch } from '../../core/failure.ts';

type Destination = Pick<Transfer, 'destinationType' | 'destination'>;

/** The member that a destination can name by its id, for a write to check. */
export function memberNamed(
  ledger: Ledger,
  destination: string | undefined,
): { member?: RecordRef<typeof members> } {
  const ref = destination === undefined ? undefined : ledger.tryRef(members, destination);
  return ref ? { member: ref } : {};
}

/**
 * A destination as it is stored: a phone number in E.164, read as one of the country; a member's id; of a department anything.
 * `member` is what `memberNamed` led to.
 * @throws Failure `invalid` for what is no valid number, or no member; it names `destination`.
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
