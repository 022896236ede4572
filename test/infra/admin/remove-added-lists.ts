import type { OrganizationCode } from '../../../shared/core/ids.ts';
import type { Attributes, TableItems } from './stored-items.ts';

/** Attributes that the added code stores, by collection. */
const added: Record<string, RegExp> = {
  INQUIRY: /^gsi[45][ps]k$/,
};
const addedStates = /^I#4#.*$/;
const addedItems = /^(INQUIRY#[45]#.*#LIST|[A-Z]+#\d{12}#LIST) |^UNIQUE (INQUIRY|MESSAGE)\./;

const without = (names: RegExp, item: Attributes): Attributes =>
  Object.fromEntries(Object.entries(item).filter(([name]) => !names.test(name)));

/**
 * Removes from an organization what lists and unique values store, as if the code had just added them. The added code
 * is for inquiries by tag, and for the unique values of inquiries and messages.
 */
export async function removeAddedLists(table: TableItems, code: OrganizationCode): Promise<void> {
  for (const item of await table.all()) {
    const { pk, sk } = item as { pk: string; sk: string };
    if (!pk.startsWith(`ORG#${code}`)) continue;
    const collection = pk.slice(`ORG#${code}#`.length);
    const names = added[collection];
    if (addedItems.test(`${collection} ${sk}`)) await table.remove({ pk, sk });
    else if (names) await table.put(without(names, item));
    if (sk !== 'HEAD') continue;
    const lists = without(addedStates, item['lists'] as Attributes);
    await table.put({ ...item, lists });
  }
}
