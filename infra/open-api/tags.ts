import type { Operation } from '../functions.ts';

/** Tags in the order that a newcomer needs. The operations of the description come in this order, too. */
export const tagOrder = [
  ...[
    'token',
    'tokens',
    'organization',
    'leads',
    'inquiries',
    'forms',
    'sms',
    'appointments',
    'pipeline',
    'companies',
  ],
  ...['categories', 'services', 'scenarios', 'products', 'policies', 'faqs', 'transfers'],
  ...['calls', 'receptionist', 'webhooks', 'events', 'open-api'],
];

/** Methods of a path in the order that a newcomer needs. */
const methodOrder = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Folder of the function, which is its tag: `leads` for `functions/leads/list-leads.ts`. */
export const tagOf = ({ entry }: Pick<Operation, 'entry'>) => entry.split('/')[1] ?? entry;

/** Name of a tag for people: `Leads`, `SMS`, `FAQs`. */
export const titleOf = (tag: string): string =>
  ({ sms: 'SMS', faqs: 'FAQs', 'open-api': 'OpenAPI', token: 'The token of a request' })[tag] ??
  tag.charAt(0).toUpperCase() + tag.slice(1);

/** Sorts operations by their tags, then by their paths and methods. @throws Error if a tag has no place in the order */
export function inOrder(operations: readonly Operation[]): Operation[] {
  const missing = operations.map(tagOf).find((tag) => !tagOrder.includes(tag));
  if (missing !== undefined)
    throw new Error(`The tag ${missing} has no place in infra/open-api/tags.ts: add it`);
  const place = (one: Operation) => tagOrder.indexOf(tagOf(one));
  const method = ({ endpoint }: Operation) => methodOrder.indexOf(endpoint.method);
  return operations.toSorted(
    (a, b) =>
      place(a) - place(b) || a.endpoint.path.localeCompare(b.endpoint.path, 'en') || method(a) - method(b),
  );
}
