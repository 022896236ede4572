import * as v from 'valibot';
import { endpoint } from './endpoint.ts';
import { pathId, recordId, recordNumber, timestamp } from './fields.ts';
import { pageExample, PageQuery, pageSchema } from './pagination.ts';
import type { Descriptions } from './descriptions.ts';

export const tagDescription = 'Companies that leads belong to, and notes about them';

export const companyLabel = 'company';

/** A note about a company: docs/reference.md, Company note. */
export const CompanyNote = v.strictObject({
  id: recordNumber,
  value: v.string(),
  companyId: recordId('company'),
  userId: v.string(),
  createdAt: timestamp,
  updatedAt: timestamp,
});
export type CompanyNote = v.InferOutput<typeof CompanyNote>;

export const CompanyNotePage = pageSchema('notes', CompanyNote);

export const descriptions = {
  CompanyNote: {
    is: 'A note about a company',
    fields: {
      value: 'The text of the note',
      companyId: 'The company that it is about',
      userId: 'The user who wrote it',
    },
  },
  CompanyNotePage: { is: 'A page of the notes about a company', fields: { notes: 'The notes of this page' } },
} satisfies Descriptions;

export const listCompanyNotesEndpoint = endpoint({
  method: 'GET',
  path: '/v1/companies/{companyId}/notes',
  scope: 'companies:read',
  access: 'readList',
  summary: 'List the notes about a company, newest first',
  description: 'What members wrote down about it.',
  params: { companyId: pathId(companyLabel, recordId('company')) },
  query: PageQuery,
  responses: { 200: CompanyNotePage },
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
