import type { Write } from '../../ledger/index.ts';
import { hashedNumber } from '../opt-outs/opt-outs.ts';

/**
 * Notes, as part of a write, that the person with a number is erased now. The number is in E.164 or empty. A text that
 * came in before the erasure is then recognized, however late it is delivered.
 * @throws Error if the hash key of opt-outs is lost
 */
export function noteErased(write: Write, phone: string): void {
  if (phone !== '') write.noteErased(hashedNumber(write, phone));
}

/**
 * True if the person with a number, in E.164 or empty, was erased at this time or later. Reads nothing before the
 * organization has hashed its first number.
 */
export async function wasErasedSince(write: Write, phone: string, time: string): Promise<boolean> {
  return phone !== '' && write.hasHashKey && write.wasErasedSince(hashedNumber(write, phone), time);
}
