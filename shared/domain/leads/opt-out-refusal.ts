import { noNumberToOptOut, onlyStartOptsIn, type Lead } from '../../contract/leads.ts';
import { invalid, type Failure } from '../../core/failure.ts';

/**
 * Refusal of the `isOptedOut` that a client sends; undefined if there is none. `lead` is the lead as it will be, with
 * what its number says so far. A client can opt a number out, and only its owner opts it in again.
 */
export function optOutRefusal(
  asked: boolean | undefined,
  { phone, isOptedOut }: Pick<Lead, 'phone' | 'isOptedOut'>,
): Failure | undefined {
  if (asked === true && phone === '') return invalid([{ field: 'isOptedOut', message: noNumberToOptOut }]);
  if (asked === false && isOptedOut) return invalid([{ field: 'isOptedOut', message: onlyStartOptsIn }]);
  return undefined;
}
