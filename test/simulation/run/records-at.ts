import type { OrganizationModel } from './model/organization-model.ts';
import { shownAppointment } from './plans/appointments.ts';
import { messagesOf, shownInquiry, shownMessage, shownMessages } from './plans/inquiries.ts';
import { shownLead } from './plans/leads.ts';
import { shownOrganization } from './plans/organization.ts';
import { shownProduct } from './plans/products.ts';
import { summary } from './plans/services.ts';
import { shownWebhook } from './plans/webhooks.ts';
import type { Fields } from './same.ts';

type RecordOf = (collection: string, number: number) => Fields;
type Shown = (fields: Fields, recordOf: RecordOf) => Fields;

const asStored: Shown = (fields) => fields;

/** Records by collection, as the API shows each. */
const kinds = (model: OrganizationModel, version: number): Record<string, Shown> => ({
  LEAD: shownLead,
  INQUIRY: (inquiry, recordOf) => ({
    ...shownInquiry(inquiry),
    data: dataOf(model, version, inquiry, recordOf),
  }),
  COMPANY: asStored,
  NOTE: asStored,
  CATEGORY: asStored,
  SERVICE: ({ scenarioId, ...service }, recordOf) => ({
    ...service,
    scenario: summary(recordOf('SCENARIO', Number(scenarioId))),
  }),
  SCENARIO: asStored,
  PRODUCT: shownProduct,
  TRANSFER: asStored,
  POLICY: asStored,
  FAQ: asStored,
  APPOINTMENT: shownAppointment,
  WEBHOOK: shownWebhook,
  ORGANIZATION: (own, recordOf) => shownOrganization(model, own, recordOf('PIPELINE', 1)),
});

const recordsOf =
  (model: OrganizationModel, version: number): RecordOf =>
  (collection, number) =>
    model.history(model.nameOf(collection, number)).at(version)?.stored?.fields ?? {};

/**
 * Records that the API shows one by one, as each GET answered at a version, by type and id. Requires a run that keeps
 * all values.
 */
export function* recordsAt(
  model: OrganizationModel,
  version: number,
): Generator<[name: string, shown: Fields]> {
  const shownBy = kinds(model, version);
  for (const [name, { fields }] of model.storedAt(version)) {
    const [, collection = ''] = /^ORG#\w{8}#([A-Z]+) \d{12}$/.exec(name) ?? [];
    const shown = shownBy[collection]?.(fields, recordsOf(model, version));
    if (shown) yield [`${collection.toLowerCase()} ${String(shown['id'])}`, shown];
  }
}

/** One record as its GET answered at a version; null if it did not exist. Requires a run that keeps all values. */
export function recordAt(
  model: OrganizationModel,
  version: number,
  { collection, number }: { collection: string; number: number },
): Fields | null {
  const { stored } = model.history(model.nameOf(collection, number)).at(version) ?? {};
  return (stored && kinds(model, version)[collection]?.(stored.fields, recordsOf(model, version))) ?? null;
}

/** The data of an inquiry's source. */
function dataOf(
  model: OrganizationModel,
  version: number,
  { source, sourceId }: Fields,
  recordOf: RecordOf,
): unknown {
  if (source !== 'SMS') return recordOf(String(source), model.numberOf(String(source), sourceId));
  const newest = model
    .list(messagesOf(model, Number(sourceId)))
    .pageAt(version, { page: 1, limit: shownMessages });
  const messages = newest.toReversed().map((number) => recordOf('MESSAGE', number));
  const oldestFirst = messages.sort(
    (a, b) => Date.parse(String(a['createdAt'])) - Date.parse(String(b['createdAt'])),
  );
  return { id: sourceId, messages: oldestFirst.map(shownMessage) };
}
