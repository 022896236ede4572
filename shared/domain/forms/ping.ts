import type { MappedName } from '../../contract/field-map.ts';
import type { SentField, SentForm } from '../../contract/sent-form.ts';
import { lastPartOf } from './last-part.ts';

/** The last part of the names of what services write around what a person has filled in. */
const aroundIt: ReadonlySet<string> = new Set(
  (
    'event eventid eventtype eventname type action topic trigger kind object id webhookid hookid test istest ping ' +
    'challenge token version apiversion createdat sentat timestamp time attempt'
  ).split(' '),
);

/** The names that say what a service sends. */
const kindsOfEvents: ReadonlySet<string> = new Set([
  'event',
  'eventtype',
  'eventname',
  'type',
  'action',
  'topic',
]);

/**
 * True if a form is a ping, by which a service tries the address: nothing in it is taken for a person's, and it says that it is one,
 * or has nothing but what is around every message, each a single word. Fields of other names may be a person's answers, so they are
 * kept; so is whatever a website sends.
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
