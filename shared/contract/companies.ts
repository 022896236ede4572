import * as v from 'valibot';
import { endpoint } from './endpoint.ts';
import {
  emailOrEmpty,
  filledLine,
  line,
  pathId,
  readOnlyFields,
  recordId,
  text,
  timestamp,
  website,
} from './fields.ts';
import { pageExample, PageQuery, pageSchema } from './pagination.ts';
import type { Descriptions } from './descriptions.ts';

export const tagDescription =
  'Companies that the organization deals with, and notes about them. No lead names a company yet';

export const companyLabel = 'company';

/** A company: docs/reference/companies.md, Company. */
export const Company = v.strictObject({
  id: recordId('company'),
  name: v.string(),
  phone: v.string(),
  email: v.string(),
  website: v.string(),
  address: v.string(),
  createdAt: timestamp,
  updatedAt: timestamp,
});
export type Company = v.InferOutput<typeof Company>;

export const NewCompany = v.strictObject({
  name: filledLine(150),
  phone: v.optional(line(40)),
  email: v.optional(emailOrEmpty),
  website: v.optional(website),
  address: v.optional(text(500)),
});
export type NewCompany = v.InferOutput<typeof NewCompany>;

/** Body of a change of a company. Fields that are left out stay. */
export const CompanyChanges = v.partial(NewCompany);
export type CompanyChanges = v.InferOutput<typeof CompanyChanges>;

export const CompanyPage = pageSchema('companies', Company);
export const CompanyEnvelope = v.strictObject({ company: Company });

/** Messages of a deletion: complete, or with notes that are still to be deleted. */
export const companyDeletionMessages = {
  done: 'Company deleted successfully',
  notDone: 'The company is deleted, its notes are not all deleted yet: ask again until they are',
} as const;

export const CompanyDeletionMessage = v.picklist(Object.values(companyDeletionMessages));

/** Progress of the deletion of a company and its notes. */
export const CompanyDeletion = v.strictObject({ message: CompanyDeletionMessage, done: v.boolean() });

export const descriptions = {
  Company: {
    is: 'A company that the organization deals with. A text that was never given is empty',
    fields: {
      name: 'The name, which other companies may have too',
      phone: 'The phone number in E.164',
      email: 'The email address',
      website: 'The address of the website, unchanged: with `https://`, `http://` or no scheme',
      address: 'Where it is, in one or more lines',
      updatedAt: 'When it was last changed; its notes do not count',
    },
  },
  NewCompany: {
    is: 'The body to create a company',
    like: 'Company',
    fields: {
      phone:
        'A valid phone number without an extension: international (`+`, `00` or `0011`), or national in the ' +
        "organization's country. The number is stored in E.164. An empty text is none",
      email: 'An email address, or an empty text',
    },
  },
  CompanyChanges: { is: 'The body to change a company', like: 'NewCompany' },
  CompanyEnvelope: { is: 'A company', fields: { company: 'The company' } },
  CompanyPage: { is: 'A page of companies', fields: { companies: 'The companies of this page' } },
  CompanyDeletionMessage: {
    is: 'Whether a company and all of its notes are deleted, as a sentence for people',
  },
  CompanyDeletion: {
    is: 'How far the deletion of a company has come',
    fields: {
      message: 'Whether all of it is deleted, as a sentence for people',
      done: 'Whether all of its notes are deleted too; with `false`, ask again',
    },
  },
} satisfies Descriptions;

export const companyId = pathId(companyLabel, recordId('company'));

const example = {
  id: 'company_6H8EV88000000001',
  name: 'Bayview Strata',
  phone: '+61491570158',
  email: 'office@bayview.example',
  website: 'https://bayview.example',
  address: '12 Bay Street\nGlebe NSW 2037',
  createdAt: '2026-11-02T13:00:00.000Z',
  updatedAt: '2026-11-02T13:00:00.000Z',
};
const params = { companyId: example.id };

export const listCompaniesEndpoint = endpoint({
  method: 'GET',
  path: '/v1/companies',
  scope: 'companies:read',
  access: 'readPage',
  summary: 'List companies, newest first',
  description: 'Deleted companies are neither listed nor counted.',
  params: {},
  query: PageQuery,
  responses: { 200: CompanyPage },
  errors: [],
  extension: true,
  example: pageExample('companies', example),
});

export const createCompanyEndpoint = endpoint({
  method: 'POST',
  path: '/v1/companies',
  scope: 'companies:create',
  access: 'put',
  summary: 'Create a company',
  description: 'Several companies may have the same name.',
  params: {},
  body: NewCompany,
  readOnly: readOnlyFields(Company, NewCompany),
  responses: { 201: CompanyEnvelope },
  record: { in: 'company' },
  errors: [],
  extension: true,
  example: {
    body: {
      name: 'Bayview Strata',
      phone: '0491 570 158',
      email: 'office@bayview.example',
      website: 'https://bayview.example',
      address: '12 Bay Street\nGlebe NSW 2037',
    },
    response: { company: example },
  },
});

export const getCompanyEndpoint = endpoint({
  method: 'GET',
  path: '/v1/companies/{companyId}',
  scope: 'companies:read',
  access: 'get',
  summary: 'Read a company',
  description: 'Its notes have an operation of their own.',
  params: { companyId },
  responses: { 200: CompanyEnvelope },
  record: { in: 'company' },
  errors: [404],
  extension: true,
  example: { params, response: { company: example } },
});

export const updateCompanyEndpoint = endpoint({
  method: 'PUT',
  path: '/v1/companies/{companyId}',
  scope: 'companies:write',
  access: 'put',
  summary: 'Change a company',
  description:
    'Fields that are left out stay unchanged. An empty text clears a field; the name cannot be empty.',
  params: { companyId },
  body: CompanyChanges,
  readOnly: readOnlyFields(Company, CompanyChanges),
  responses: { 200: CompanyEnvelope },
  record: { in: 'company' },
  errors: [404],
  extension: true,
  example: {
    params,
    body: { email: '' },
    response: { company: { ...example, email: '', updatedAt: '2026-11-02T13:20:00.000Z' } },
  },
});

export const deleteCompanyEndpoint = endpoint({
  method: 'DELETE',
  path: '/v1/companies/{companyId}',
  scope: 'companies:write',
  access: ['GetItem', 'Query list', 'PutItem', 'UpdateItem', 'DeleteItem'],
  summary: 'Delete a company with its notes',
  description:
    'The company is gone at once, and its notes are answered with 404. A request deletes a bounded number of notes: ask again ' +
    'until `done` is true. After a 503 the next request goes on where the last one ended. Once nothing is left, the company ' +
    'is a 404. `If-Match` counts while the company is there.',
  params: { companyId },
  responses: { 200: CompanyDeletion },
  record: {},
  errors: [404],
  extension: true,
  example: { params, response: { message: companyDeletionMessages.done, done: true } },
});
