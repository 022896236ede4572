import type { MappedName } from '../../contract/field-map.ts';
import type { SentField, SentForm } from '../../contract/sent-form.ts';
import { lastPartOf } from './fields-of-sending.ts';

/** Last parts of the names of fields that services add around a person's answers. */
const aroundIt: ReadonlySet<string> = new Set(
  (
    'event eventid eventtype eventname type action topic trigger kind object id webhookid hookid test istest ping ' +
    'challenge token version apiversion createdat sentat timestamp time attempt'
  ).split(' '),
);

/** Names of fields that hold the kind of an event. */
const kindsOfEvents: ReadonlySet<string> = new Set([
  'event',
  'eventtype',
  'eventname',
  'type',
  'action',
  'topic',
]);

/**
 * True if a form is a ping, which a service sends to try the address. A ping has no field that a lead or an inquiry can
 * take, except an `externalInquiryId`. A ping either says that it is a ping, or has only single words in fields that
 * services add to every message. Other fields may be a person's answers, so such a form is kept. A form from a website
 * is never a ping.
 */
export function isPing(
  { site, unread }: SentForm,
  fields: readonly SentField[],
  known: ReadonlyMap<SentField, readonly MappedName[]>,
): boolean {
  if (site !== undefined || unread > 0) return false;
  if (![...known.values()].flat().every((name) => name === 'externalInquiryId')) return false;
  return fields.some(saysPing) || fields.every(isAroundIt);
}

const saysPing = ({ name, value }: SentField) =>
  kindsOfEvents.has(lastPartOf(name)) && /^(?:\S*[._:])?ping$/i.test(value.trim());

const isAroundIt = ({ name, value }: SentField) => aroundIt.has(lastPartOf(name)) && /^[^\s@]+$/.test(value);
