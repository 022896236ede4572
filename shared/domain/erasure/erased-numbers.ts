import type { Write } from '../../ledger/index.ts';
import { hashedNumber } from '../opt-outs/opt-outs.ts';

/**
 * Notes that the person with a number, in E.164 or empty, is erased now, as part of a write. A text that came in before is
 * then recognized, however late it is delivered.
 * @throws Error if the hash key of opt-outs is lost
 */
export function noteErased(write: Write, phone: string): void {
  if (phone !== '') write.noteErased(hashedNumber(write, phone));
}

/**
 * True if the person with a number, in E.164 or empty, was erased at this time or later. Reads nothing if the organization has
 * hashed no number yet.
 */
export async function wasErasedSince(write: Write, phone: string, time: string): Promise<boolean> {
  return phone !== '' && write.hasHashKey && write.wasErasedSince(hashedNumber(write, phone), time);
}
