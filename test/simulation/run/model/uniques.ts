import type { Fields } from '../same.ts';
import type { OrganizationModel } from './organization-model.ts';

/** A value that one live record may have, without regard to case. */
export interface Unique {
  /** The name of the item that holds it. */
  name: string;
  /** As it is written. */
  value: string;
  /** What a 409 says is taken. */
  sentence: string;
}

/** The values of a record that no other live one may have (`decisions.md`, "Errors", 409). */
export function uniquesOf(organization: OrganizationModel, collection: string, record: Fields): Unique[] {
  const text = (field: string) => String(record[field]);
  const category = Number(record['tradeCategoryId']);
  const inCategory = (label: string): Unique => ({
    name: organization.uniqueName(`${collection}.name`, text('name'), category),
    value: text('name'),
    sentence: `${label} has this name in the same category`,
  });
  switch (collection) {
    case 'LEAD':
      return ['email', 'phone']
        .filter((field) => text(field) !== '')
        .map((field) => ({
          name: organization.uniqueName(`LEAD.${field}`, text(field)),
          value: text(field),
          sentence: `lead has this ${field}`,
        }));
    case 'TRANSFER':
      return [
        {
          name: organization.uniqueName('TRANSFER.label', text('label')),
          value: text('label'),
          sentence: 'transfer has this label',
        },
      ];
    case 'SERVICE':
      return [inCategory('service')];
    case 'PRODUCT':
      return [inCategory('product')];
    default:
      return [];
  }
}
