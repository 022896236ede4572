import { refuseAny } from '../core/failure.ts';

/** Names of fields that never change, if the body of a change cannot set them. */
const neverChange = new Set([
  'id',
  'companyId',
  'createdAt',
  'externalInquiryId',
  'leadId',
  'source',
  'sourceId',
  'tradeServiceId',
  'userId',
]);

/**
 * Refuses another value for a field that never changes. Other read-only fields change by themselves, so a client may
 * send back an old value.
 * @param sent read-only fields of the body; an undefined value is no value
 * @param record the record before the change, as the API shows it
 * @throws Failure `invalid`
 */
export function refuseOtherValues(sent: object, record: object): void {
  const present = new Map<string, unknown>(Object.entries(record));
  refuseAny(
    Object.entries(sent)
      .filter(([, value]) => value !== undefined)
      .filter(([name, value]) => neverChange.has(name) && !isSame(value, present.get(name)))
      .map(([field]) => ({ field, message: 'never changes; leave it out' })),
  );
}

/** True if both values are the same id or time. A client may write a number as text, and a time without its fraction. */
function isSame(sent: unknown, present: unknown): boolean {
  if (sent === present || (typeof present === 'number' && sent === String(present))) return true;
  if (typeof sent !== 'string' || typeof present !== 'string' || !/^\d{4}-\d\d-\d\dT/.test(present))
    return false;
  return Math.abs(Date.parse(sent) - Date.parse(present)) < 1000;
}
