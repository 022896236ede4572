import { expect, inject } from 'vitest';
import type { Lead } from '../../shared/contract/leads.ts';
import type { TestOrganization } from './test-organization.ts';

/** Sites of the keys that tests send forms with. */
export const sites = ['https://www.example.com', 'http://localhost:8080'];

/** Issues a key for forms of `sites`. */
export const formToken = ({ issueToken }: Pick<TestOrganization, 'issueToken'>) =>
  issueToken({ scopes: ['forms:submit'], sites });

/** Settings of a request that sends a form. */
export interface Sending {
  map?: string;
  /** Further query parameters, in the form that is sent. */
  address?: string;
  type?: string;
  headers?: Record<string, string>;
  method?: string;
}

/** Answer to a form, of any status. */
export interface FormAnswer {
  status: number;
  headers: Headers;
  text: string;
}

const pathTo = (token: string, map?: string) =>
  `/v1/forms/submissions?${new URLSearchParams({ key: token, ...(map !== undefined && { map }) }).toString()}`;

/**
 * Sends a form. An object is sent urlencoded, `FormData` as multipart, and any other body unchanged, with the
 * given type.
 */
export async function sendForm(
  token: string,
  body: Record<string, string> | FormData | string | undefined,
  { map, address, type, headers = {}, method = 'POST' }: Sending = {},
): Promise<FormAnswer> {
  const isObject = typeof body === 'object' && !(body instanceof FormData);
  const path = `${pathTo(token, map)}${address === undefined ? '' : `&${address}`}`;
  const answer = await fetch(`${inject('baseUrl')}${path}`, {
    method,
    headers: { ...(type !== undefined && { 'Content-Type': type }), ...headers },
    ...(body !== undefined && { body: isObject ? new URLSearchParams(body) : body }),
    redirect: 'manual',
  });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

export const sendJson = (token: string, body: unknown, sending: Sending = {}) =>
  sendForm(token, JSON.stringify(body), { type: 'application/json', ...sending });

/** Inquiry and lead of an organization's newest form. */
export async function newestForm({ api }: Pick<TestOrganization, 'api'>): Promise<{
  lead: Lead;
  formName: string;
  fields: Record<string, string>;
  summary: string;
  givenEmail: string;
  givenPhone: string;
}> {
  const { inquiries } = await api.call('listInquiries', { query: { limit: 1, source: 'WEBFORM' } });
  const inquiry = await api.call('getInquiry', { params: { inquiryId: inquiries[0]!.id } });
  const { lead } = await api.call('getLead', { params: { leadId: inquiry.leadId } });
  if (inquiry.source !== 'WEBFORM') throw new Error('The newest inquiry is no form');
  expect(lead).toMatchObject({ lastInquiryId: inquiry.id });
  const { summary, givenEmail, givenPhone, data } = inquiry;
  return { lead, formName: data.formName, fields: data.fields, summary, givenEmail, givenPhone };
}

/** Number of forms that an organization has. */
export const formCount = async ({ api }: Pick<TestOrganization, 'api'>) =>
  (await api.call('listInquiries', { query: { source: 'WEBFORM' } })).totalCount;
