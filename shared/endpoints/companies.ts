import * as v from 'valibot';
import { endpoint } from './endpoint.ts';
import { recordId, recordNumber, timestamp } from './fields.ts';
import { pageExample, PageQuery, pageSchema } from './pagination.ts';

export const about = 'Companies that leads belong to, and notes about them';

/** A note about a company (specification, section 2). */
export const CompanyNote = v.strictObject({
  id: recordNumber,
  value: v.string(),
  companyId: recordId('company'),
  userId: v.string(),
  createdAt: timestamp,
  updatedAt: timestamp,
});
export type CompanyNote = v.InferOutput<typeof CompanyNote>;

export const listCompanyNotes = endpoint({
  method: 'GET',
  path: '/v1/companies/{companyId}/notes',
  scope: 'read',
  access: 'view',
  summary: 'List the notes about a company, newest first',
  params: { companyId: v.pipe(recordId('company'), v.description("The company's id")) },
  query: PageQuery,
  responses: { 200: pageSchema('notes', CompanyNote) },
  errors: [404],
  example: {
    params: { companyId: 'company_6H8EV88000000001' },
    ...pageExample('notes', {
      id: 2,
      value: 'Strata manager prefers quotes by email, before noon.',
      companyId: 'company_6H8EV88000000001',
      userId: 'user_6H8EV88000000001',
      createdAt: '2026-11-02T14:00:00.000Z',
      updatedAt: '2026-11-02T14:00:00.000Z',
    }),
  },
});
