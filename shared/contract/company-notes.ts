import * as v from 'valibot';
import { companyId } from './companies.ts';
import { endpoint } from './endpoint.ts';
import {
  filledText,
  numberInPath,
  pathId,
  readOnlyFields,
  recordId,
  recordNumber,
  timestamp,
} from './fields.ts';
import { pageExample, PageQuery, pageSchema } from './pagination.ts';
import type { Descriptions } from './descriptions.ts';

export const subject = 'companies';

export const noteLabel = 'note';

/** A note about a company: docs/reference/companies.md, Company note. */
export const CompanyNote = v.strictObject({
  id: recordNumber,
  value: v.string(),
  companyId: recordId('company'),
  userId: v.string(),
  createdAt: timestamp,
  updatedAt: timestamp,
});
export type CompanyNote = v.InferOutput<typeof CompanyNote>;

export const NewCompanyNote = v.strictObject({ value: filledText(10_000) });

/** Body of a change of a note. Fields that are left out stay. */
export const CompanyNoteChanges = v.partial(NewCompanyNote);
export type CompanyNoteChanges = v.InferOutput<typeof CompanyNoteChanges>;

export const CompanyNotePage = pageSchema('notes', CompanyNote);
export const CompanyNoteEnvelope = v.strictObject({ note: CompanyNote });
export const CompanyNoteDeleted = v.strictObject({ message: v.literal('Note deleted successfully') });

export const descriptions = {
  CompanyNote: {
    is: 'A note about a company',
    fields: {
      value: 'The text of the note',
      companyId: 'The company that it is about',
      userId: 'The user who wrote it',
      updatedAt: 'When it was last changed, by whomever',
    },
  },
  NewCompanyNote: { is: 'The body to add a note to a company', like: 'CompanyNote' },
  CompanyNoteChanges: { is: 'The body to change a note', like: 'CompanyNote' },
  CompanyNoteEnvelope: { is: 'A note about a company', fields: { note: 'The note' } },
  CompanyNotePage: { is: 'A page of the notes about a company', fields: { notes: 'The notes of this page' } },
  CompanyNoteDeleted: {
    is: 'The answer to the deletion of a note',
    fields: { message: 'Always the same sentence' },
  },
} satisfies Descriptions;

const noteId = pathId(noteLabel, numberInPath);

const example = {
  id: 2,
  value: 'Strata manager prefers quotes by email, before noon.',
  companyId: 'company_6H8EV88000000001',
  userId: 'user_6H8EV88000000001',
  createdAt: '2026-11-02T14:00:00.000Z',
  updatedAt: '2026-11-02T14:00:00.000Z',
};
const params = { companyId: example.companyId, noteId: '2' };

export const listCompanyNotesEndpoint = endpoint({
  method: 'GET',
  path: '/v1/companies/{companyId}/notes',
  scope: 'companies:read',
  access: ['GetItem', 'Query list'],
  summary: 'List the notes about a company, newest first',
  description: "The members' notes about the company.",
  params: { companyId },
  query: PageQuery,
  responses: { 200: CompanyNotePage },
  errors: [404],
  example: { params: { companyId: example.companyId }, ...pageExample('notes', example) },
});

export const createCompanyNoteEndpoint = endpoint({
  method: 'POST',
  path: '/v1/companies/{companyId}/notes',
  scope: 'companies:create',
  access: 'put',
  summary: 'Add a note to a company',
  description: "The author is the token's user.",
  params: { companyId },
  body: NewCompanyNote,
  readOnly: readOnlyFields(CompanyNote, NewCompanyNote),
  responses: { 201: CompanyNoteEnvelope },
  record: { in: 'note' },
  errors: [404],
  extension: true,
  example: {
    params: { companyId: example.companyId },
    body: { value: example.value },
    response: { note: example },
  },
});

export const getCompanyNoteEndpoint = endpoint({
  method: 'GET',
  path: '/v1/companies/{companyId}/notes/{noteId}',
  scope: 'companies:read',
  access: 'get',
  summary: 'Read a note about a company',
  description: 'A note about another company is a 404.',
  params: { companyId, noteId },
  responses: { 200: CompanyNoteEnvelope },
  record: { in: 'note' },
  errors: [404],
  extension: true,
  example: { params, response: { note: example } },
});

export const updateCompanyNoteEndpoint = endpoint({
  method: 'PUT',
  path: '/v1/companies/{companyId}/notes/{noteId}',
  scope: 'companies:write',
  access: 'put',
  summary: 'Change a note about a company',
  description: 'The user who wrote it stays the same.',
  params: { companyId, noteId },
  body: CompanyNoteChanges,
  readOnly: readOnlyFields(CompanyNote, CompanyNoteChanges),
  responses: { 200: CompanyNoteEnvelope },
  record: { in: 'note' },
  errors: [404],
  extension: true,
  example: {
    params,
    body: { value: 'Quotes by email.' },
    response: { note: { ...example, value: 'Quotes by email.', updatedAt: '2026-11-02T14:30:00.000Z' } },
  },
});

export const deleteCompanyNoteEndpoint = endpoint({
  method: 'DELETE',
  path: '/v1/companies/{companyId}/notes/{noteId}',
  scope: 'companies:write',
  access: 'putUpdateAndDelete',
  summary: 'Delete a note about a company',
  description: 'The other notes about the company stay.',
  params: { companyId, noteId },
  responses: { 200: CompanyNoteDeleted },
  record: {},
  errors: [404],
  extension: true,
  example: { params, response: { message: 'Note deleted successfully' } },
});
