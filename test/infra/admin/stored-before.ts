import type { OrganizationCode } from '../../../shared/core/ids.ts';
import type { Attributes, TableItems } from './stored-items.ts';

/** Attributes of today's records that older records lack, by collection. */
const added: Record<string, RegExp> = {
  LEAD: /^gsi[678][ps]k$/,
  INQUIRY: /^gsi[45][ps]k$/,
  EVENT: /^touched$/,
};
const addedStates = /^INQUIRY#4#.*$/;
const addedItems = /^(INQUIRY#[45]#.*#LIST|[A-Z]+#\d{12}#LIST) |^UNIQUE (INQUIRY|MESSAGE)\./;

const without = (names: RegExp, item: Attributes): Attributes =>
  Object.fromEntries(Object.entries(item).filter(([name]) => !names.test(name)));

/**
 * Turns a whole organization into an older one: stored before there were leads by name, inquiries by tag,
 * messages by their provider's ids, and events that say which records their writes touched.
 */
export async function storeAsBefore(table: TableItems, code: OrganizationCode): Promise<void> {
  for (const item of await table.all()) {
    const { pk, sk } = item as { pk: string; sk: string };
    if (!pk.startsWith(`ORG#${code}`)) continue;
    const collection = pk.slice(`ORG#${code}#`.length);
    const names = added[collection];
    if (addedItems.test(`${collection} ${sk}`)) await table.remove({ pk, sk });
    else if (names) await table.put(without(names, item));
    if (sk !== 'HEAD') continue;
    const lists = without(addedStates, item['lists'] as Attributes);
    await table.put({ ...without(/^revisions$/, item), lists });
  }
}
