import { hash } from 'node:crypto';
import type { SentFields } from '../../contract/sent-form.ts';
import { lastPartOf } from './last-part.ts';

/** The last part of names, letters alone, of what services write anew each time that they send the same. */
const ofSending =
  /attempts?(?:count|number|no)?$|retr(?:y|ies)(?:count|number|no)?$|redeliver|timestamp$|nonce$|^(?:webhook)?signature$|^ts$|^(?:sent|delivered|dispatched|triggered)(?:at|on|time|date)?$|^(?:delivery|request|trace)id$/;

/** One word, as a number, a moment or an id is, or a moment as emails have it. */
const ofMachine = /^(?:\S*|[A-Z][a-z]{2}, \d[\w :+-]*)$/;

/**
 * A digest of what a form says, by which one that is sent again is told from another with the same id. Counters and times of the
 * sending do not count, nor does the order.
 */
export function digestOfFields({ fields, unread }: SentFields): string {
  const said = fields
    .filter(({ name, value }) => !(ofSending.test(lastPartOf(name)) && ofMachine.test(value)))
    .map(({ name, value }) => JSON.stringify([name, value]))
    .toSorted();
  return hash('sha256', JSON.stringify([...said, unread]), 'base64url').slice(0, 16);
}
