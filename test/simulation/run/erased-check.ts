import { attributesOf } from './model/history.ts';
import type { OrganizationModel } from './model/organization-model.ts';
import { Violation } from './violation.ts';

/**
 * Checks that only events remain of a lead: no record of it, no item that contains its ids, inquiries' ids,
 * lists or unique words. Searches the model, which equals the table. @throws Violation
 */
export function checkErased(organization: OrganizationModel, lead: number): void {
  const { items } = organization.belongings.of(lead);
  const left = [...items].filter((name) => organization.history(name).last !== undefined);
  if (left.length > 0) throw wrong('no record of the lead', left);
  const words = [...idsOf(organization, items), ...organization.belongings.wordsOfNoOtherLead(lead)];
  const lists = [...items].map((name) => `${name.replace(' ', '#')}#`);
  for (const [name, stored] of organization.stored()) {
    if (name.startsWith(`ORG#${organization.code}#EVENT `)) continue;
    const text = `${name} ${JSON.stringify(attributesOf(stored))}`;
    const found = [...words, ...lists].filter((word) => text.includes(word));
    if (found.length > 0) throw wrong('no item that contains data of the lead', { name, stored, found });
  }
}

/** Public ids of these records if they are strings. Numeric ids are not unique among collections. */
function idsOf(organization: OrganizationModel, names: ReadonlySet<string>): string[] {
  return [...names].flatMap((name) => {
    const [, collection = '', number] = /#(\w+) (\d+)$/.exec(name) ?? [];
    const id = organization.idOf(collection, Number(number));
    return id.startsWith('_') ? [] : [id];
  });
}

const wrong = (expected: unknown, observed: unknown) =>
  new Violation('A finished erasure must leave only events of the lead', { expected, observed });
