import { hash } from 'node:crypto';
import type { SentFields } from '../../contract/sent-form.ts';

/**
 * Last parts of the names of fields that a service changes each time it sends the same form: counters, times,
 * signatures.
 */
const ofSending =
  /attempts?(?:count|number|no)?$|retr(?:y|ies)(?:count|number|no)?$|redeliver|timestamp$|nonce$|^(?:webhook)?signature$|^ts$|^(?:sent|delivered|dispatched|triggered)(?:at|on|time|date)?$|^(?:delivery|request|trace)id$/;

/** One word, such as a number, a time or an id; or a time as emails write it. */
const ofMachine = /^(?:\S*|[A-Z][a-z]{2}, \d[\w :+-]*)$/;

/**
 * Digest of a form's fields. It tells whether a form with a known id was sent again or is another one.
 * Counters and times of the sending are left out, and the order does not matter.
 */
export function digestOfFields({ fields, unread }: SentFields): string {
  const said = fields
    .filter(({ name, value }) => !(ofSending.test(lastPartOf(name)) && ofMachine.test(value)))
    .map(({ name, value }) => JSON.stringify([name, value]))
    .toSorted();
  return hash('sha256', JSON.stringify([...said, unread]), 'base64url').slice(0, 16);
}

/** Last part of a field's path, in lower case, letters only: `sentat` for `delivery.sent_at`. */
export const lastPartOf = (name: string): string =>
  name
    .slice(name.lastIndexOf('.') + 1)
    .replaceAll(/[^a-z]/gi, '')
    .toLowerCase();
