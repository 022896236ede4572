import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { Operation } from '../../infra/functions.ts';
import { proxyEvent } from '../../infra/local/proxy-event.ts';
import type { Records } from '../support/every-operation.ts';
import type { StoredOrganization } from '../support/organizations.ts';

/** What a request of an operation says, beside its method and path. */
interface Request {
  params?: Record<string, string | number>;
  query?: Record<string, string>;
  body?: object;
}

/** A request of each operation that succeeds, given an organization's records; `n` makes it a new one each time. */
export const requests: Record<string, (records: Records, n: number) => Request> = {
  listLeads: () => ({}),
  createLead: (_, n) => ({ body: { name: 'Bo Berg', email: `bo${n}@example.com` } }),
  getLead: ({ leadId }) => ({ params: { leadId } }),
  deleteLead: ({ leadId }) => ({ params: { leadId } }),
  listLeadActivities: ({ leadId }) => ({ params: { leadId } }),
  listInquiries: () => ({}),
  getInquiry: ({ inquiryIds }) => ({ params: { inquiryId: inquiryIds.CALL } }),
  listCompanyNotes: ({ companyId }) => ({ params: { companyId } }),
  listMembers: () => ({}),
  listOrganizationServices: () => ({}),
  createService: (_, n) => ({ body: { name: `Leaking tap ${n}`, tradeCategoryId: 1 } }),
  getService: ({ serviceId }) => ({ params: { serviceId } }),
  getScenario: ({ scenarioId }) => ({ params: { scenarioId } }),
  createProduct: (_, n) => ({ body: { name: `Sink ${n}`, tradeCategoryId: 2, pricingType: 'NONE' } }),
  updateProduct: ({ productId }, n) => ({ params: { productId }, body: { name: `Mixer tap ${n}` } }),
  updateProducts: ({ productId }, n) => ({ body: { updates: [{ id: productId, name: `Basin tap ${n}` }] } }),
  createTransfer: (_, n) => ({
    body: {
      label: `Bursts ${n}`,
      method: 'WARM',
      destinationType: 'DEPARTMENT',
      destination: 'Office',
      conditions: 'Asks for it',
    },
  }),
  updateTransfer: ({ transferId }, n) => ({ params: { transferId }, body: { label: `Burst pipes ${n}` } }),
  listPolicies: () => ({}),
  updatePolicy: ({ policyId }, n) => ({ params: { policyId }, body: { content: `${n} days before` } }),
  createFaq: (_, n) => ({ body: { question: `Weekends? ${n}`, answer: 'No' } }),
  sendSms: ({ userId, leadId }, n) => ({ body: { userId, leadId, message: `On our way, ${n}` } }),
  getOpenApi: () => ({}),
};

/**
 * The event that API Gateway gives an operation's function, for a request by an organization.
 * @throws Error for an operation that has no request here.
 */
export function eventFor(
  { operationId, endpoint, entry }: Operation,
  organization: Pick<StoredOrganization, 'code' | 'userId'>,
  records: Records,
  n: number,
): APIGatewayProxyEvent {
  const request = requests[operationId];
  if (!request) throw new Error(`There is no request of ${operationId}: add one for ${entry}`);
  const { params = {}, query = {}, body } = request(records, n);
  const variables = Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)]));
  const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => variables[name] ?? '');
  const context = { organization: organization.code, userId: organization.userId, scopes: 'read write' };
  return proxyEvent({
    request: {
      method: endpoint.method,
      target: path,
      headers: [['Content-Type', 'application/json']],
      body: Buffer.from(body ? JSON.stringify(body) : ''),
      sourceIp: '127.0.0.1',
    },
    route: { method: endpoint.method, path: endpoint.path, functionName: operationId, authorizer: undefined },
    path,
    query: new URLSearchParams(query).toString(),
    variables,
    requestId: `request-${n}`,
    authorization: { context, allows: () => true },
  });
}
