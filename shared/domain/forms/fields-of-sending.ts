import type { SentField } from '../../contract/sent-form.ts';

/**
 * Last parts of the names of fields that a service changes each time it sends the same form: counters, times,
 * signatures.
 */
const names =
  /attempts?(?:count|number|no)?$|retr(?:y|ies)(?:count|number|no)?$|redeliver|timestamp$|nonce$|^(?:webhook)?signature$|^ts$|^(?:sent|delivered|dispatched|triggered)(?:at|on|time|date)?$|^(?:delivery|request|trace)id$/;

/** One word, such as a number, a time or an id; or a time as emails write it. */
const ofMachine = /^(?:\S*|[A-Z][a-z]{2}, \d[\w :+-]*)$/;

/** True for a field about the sending of a form, and not about the person's answers. */
export const isOfSending = ({ name, value }: SentField): boolean =>
  names.test(lastPartOf(name)) && ofMachine.test(value);

/** Last part of a field's path, in lower case, letters only: `sentat` for `delivery.sent_at`. */
export const lastPartOf = (name: string): string =>
  name
    .slice(name.lastIndexOf('.') + 1)
    .replaceAll(/[^a-z]/gi, '')
    .toLowerCase();
