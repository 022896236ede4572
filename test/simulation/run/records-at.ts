import { findContracts } from '../../../infra/functions.ts';
import { readable } from './contracts.ts';
import type { OrganizationModel } from './model/organization-model.ts';
import { only, without, type Fields } from './same.ts';

const { schemas } = await findContracts();

type RecordOf = (collection: string, number: number) => Fields;

/** Number of messages of a thread that an inquiry shows. */
const shownMessages = 100;

/** A lead as the API shows it. */
export const shownLead = ({ address, ...lead }: Fields): Fields => ({
  ...without(lead, 'flaggedInquiries', 'newestThreadId', 'importKey'),
  address: { ...(address as Fields), suburb: lead['suburb'] },
});

/** An inquiry as its GET shows it, without the data of its source. */
const shownInquiry = (inquiry: Fields): Fields => ({
  givenEmail: '',
  ...without(inquiry, 'sourceId', 'externalId', 'keyId', 'platform', 'isSummaryGiven', 'lastTextAt'),
});

/** A message as an inquiry shows it. */
export const shownMessage = (message: Fields): Fields => ({
  ...only(message, 'direction', 'text', 'createdAt', 'status'),
  id: String(message['id']),
});

/** Messages that the inquiry of a thread shows at a version. */
export const messagesAt = (model: OrganizationModel, version: number, thread: number): number[] =>
  model
    .list(model.partitionOf('gsi1', 'MESSAGE', { owner: ['THREAD', thread] }))
    .pageAt(version, { page: 1, limit: shownMessages });

/**
 * Stored fields of a record, those that the API shows in another form in that form. The last use of a token is no part of
 * its record: the grant has it.
 */
export const asShown = (collection: string, stored: Fields): Fields =>
  collection === 'LEAD' ? shownLead(stored) : collection === 'TOKEN' ? without(stored, 'lastUsedOn') : stored;

/** Names of the fields of a collection's records in the API. The schema of a company's note is `CompanyNote`. */
function fieldsOf(collection: string): string[] {
  const wanted = collection.toLowerCase();
  const schema = Object.entries(schemas).find(([name]) =>
    [wanted, `company${wanted}`].includes(name.toLowerCase()),
  );
  return schema && 'entries' in schema[1] ? Object.keys(schema[1].entries as object) : [];
}

/**
 * A record as the API shows it: with the shown parts of other records. The rest are the stored fields that the API
 * has.
 */
function shownOf(
  model: OrganizationModel,
  version: number,
  collection: string,
  record: Fields,
  recordOf: RecordOf,
): Fields {
  if (collection === 'LEAD') return shownLead(record);
  if (collection === 'INQUIRY')
    return { ...shownInquiry(record), data: dataOf(model, version, record, recordOf) };
  const own = only(record, ...fieldsOf(collection).filter((name) => name in record));
  if (collection === 'SERVICE') {
    const scenario = recordOf('SCENARIO', Number(record['scenarioId']));
    return { ...own, scenario: only(scenario, 'id', 'response', 'questions', 'outcome') };
  }
  if (collection === 'ORGANIZATION')
    return { ...own, timeZone: recordOf('PIPELINE', 1)['timeZone'], country: model.country };
  if (collection === 'MEMBER') return { ...own, user: { id: record['userId'], email: record['email'] } };
  return own;
}

const recordsOf =
  (model: OrganizationModel, version: number): RecordOf =>
  (collection, number) =>
    model.history(model.nameOf(collection, number)).at(version)?.stored?.fields ?? {};

/**
 * Records that the API shows one by one, as each GET answered at a version, by type and id.
 */
export function* recordsAt(
  model: OrganizationModel,
  version: number,
): Generator<[name: string, shown: Fields]> {
  for (const [name, { fields }] of model.storedAt(version)) {
    const [, collection = ''] = /^ORG#\w{8}#([A-Z]+) \d{12}$/.exec(name) ?? [];
    // A token is no record of the feed.
    if (!readable.has(collection) || collection === 'TOKEN') continue;
    const shown = shownOf(model, version, collection, fields, recordsOf(model, version));
    yield [`${collection.toLowerCase()} ${String(shown['id'])}`, shown];
  }
}

/** One record as its GET answered at a version; null if it did not exist. */
export function recordAt(
  model: OrganizationModel,
  version: number,
  { collection, number }: { collection: string; number: number },
): Fields | null {
  const { stored } = model.history(model.nameOf(collection, number)).at(version) ?? {};
  return stored ? shownOf(model, version, collection, stored.fields, recordsOf(model, version)) : null;
}

/** The data of an inquiry's source. */
function dataOf(
  model: OrganizationModel,
  version: number,
  { source, sourceId }: Fields,
  recordOf: RecordOf,
): unknown {
  if (source !== 'SMS') return recordOf(String(source), model.numberOf(String(source), sourceId));
  const messages = messagesAt(model, version, Number(sourceId))
    .toReversed()
    .map((number) => recordOf('MESSAGE', number));
  const oldestFirst = messages.sort(
    (a, b) => Date.parse(String(a['createdAt'])) - Date.parse(String(b['createdAt'])),
  );
  return { id: sourceId, messages: oldestFirst.map(shownMessage) };
}
