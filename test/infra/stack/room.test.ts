import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Operation, WorkerFunction } from '../../../infra/functions.ts';
import type { Endpoint } from '../../../shared/contract/endpoint.ts';
import { getLeadEndpoint } from '../../../shared/contract/leads.ts';
import { allSettings, synthesizeStack, templateOf } from '../../support/made-up-stack.ts';
import { workersOfEachKind } from '../../support/worker-kinds.ts';

/**
 * Future size of the service: each resource with its operations, by name, method and the rest of the path.
 */
const surface = `
/openapi: getOpenApi GET
/v1/leads: listLeads GET, createLead POST, createLeads POST /batch, getLead GET /{leadId}, updateLead PUT /{leadId}, deleteLead DELETE /{leadId}, eraseLead POST /{leadId}/erase, listLeadActivities GET /{leadId}/activities
/v1/inquiries: listInquiries GET, createInquiry POST, getInquiry GET /{inquiryId}, updateInquiry PATCH /{inquiryId}
/v1/pipeline: getPipeline GET
/v1/forms/submissions: createFormSubmission POST
/v1/companies: listCompanies GET, createCompany POST, getCompany GET /{companyId}, updateCompany PUT /{companyId}, deleteCompany DELETE /{companyId}
/v1/companies/{companyId}/notes: listNotes GET, createNote POST, getNote GET /{noteId}, updateNote PUT /{noteId}, deleteNote DELETE /{noteId}
/v1/organization: getOrganization GET, listOrganizationServices GET /services
/v1/organization/members: listMembers GET, inviteMember POST, getMember GET /{memberId}, updateMember PUT /{memberId}, deleteMember DELETE /{memberId}
/v1/services: listServices GET, createService POST, getService GET /{serviceId}, updateService PUT /{serviceId}, deleteService DELETE /{serviceId}
/v1/scenarios/{scenarioId}: getScenario GET, updateScenario PUT
/v1/products: listProducts GET, createProduct POST, updateProducts PATCH /batch, getProduct GET /{productId}, updateProduct PUT /{productId}, deleteProduct DELETE /{productId}
/v1/transfers: listTransfers GET, createTransfer POST, getTransfer GET /{transferId}, updateTransfer PUT /{transferId}, deleteTransfer DELETE /{transferId}
/v1/policies: listPolicies GET, createPolicy POST, getPolicy GET /{policyId}, updatePolicy PUT /{policyId}, deletePolicy DELETE /{policyId}
/v1/faqs: listFaqs GET, createFaq POST, getFaq GET /{faqId}, updateFaq PUT /{faqId}, deleteFaq DELETE /{faqId}
/v1/categories: listCategories GET, createCategory POST, getCategory GET /{categoryId}, updateCategory PUT /{categoryId}, deleteCategory DELETE /{categoryId}
/v1/sms: sendSms POST
/v1/appointments: listAppointments GET, createAppointment POST, getAppointment GET /{appointmentId}, updateAppointment PUT /{appointmentId}, cancelAppointment POST /{appointmentId}/cancel
/v1/events: listEvents GET
/v1/webhooks: listWebhooks GET, createWebhook POST, getWebhook GET /{webhookId}, updateWebhook PUT /{webhookId}, deleteWebhook DELETE /{webhookId}, testWebhook POST /{webhookId}/test, rotateWebhookSecret POST /{webhookId}/secret, listDeliveries GET /{webhookId}/deliveries, redeliver POST /{webhookId}/deliveries/{deliveryId}/redeliver
/v1/tokens: listTokens GET, createToken POST, rotateToken POST /{tokenId}/rotate, revokeToken DELETE /{tokenId}
`;

const operations = surface
  .trim()
  .split('\n')
  .flatMap((line) => {
    const [start, listed] = line.split(': ') as [string, string];
    return listed.split(', ').map((text): Operation => {
      const [operationId, method, rest = ''] = text.split(' ') as [string, string, string?];
      const forms = start.startsWith('/v1/forms') && { scope: 'forms:submit', takesForms: true };
      const sms = start === '/v1/sms' && { uses: 'sms' };
      const endpoint = { ...getLeadEndpoint, ...forms, ...sms, method, path: `${start}${rest}` } as Endpoint;
      return { kind: 'endpoint', operationId, endpoint, entry: `functions/made-up/${operationId}.ts` };
    });
  });

/** Two workers of each kind, but one for incoming SMS. */
const workers = ['', 'also-'].flatMap((prefix) =>
  workersOfEachKind.flatMap(({ worker }): WorkerFunction[] => {
    const name = `${prefix}${worker.name}`;
    if (name === 'also-texted') return [];
    return [{ kind: 'worker', worker: { ...worker, name }, entry: `functions/workers/${name}.ts` }];
  }),
);

let folder: string;
let resources: ReturnType<typeof templateOf>['resources'];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'room-'));
  synthesizeStack(folder, { stage: 'prod', settings: allSettings, contracts: { operations, workers } });
  ({ resources } = templateOf(folder));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const of = (type: string) => Object.values(resources).filter(({ Type }) => Type === type);

/** Names of the resources in the watching construct, or of all others. */
const namesOf = (what: 'watching' | 'service') =>
  Object.keys(resources).filter((name) => name.startsWith('Alarms') === (what === 'watching'));

test('85 operations and 9 workers with every setting leave room: CloudFormation takes 500 resources', () => {
  expect(operations).toHaveLength(85);
  expect(workers).toHaveLength(9);
  expect(of('AWS::Lambda::Function')).toHaveLength(85 + 9 + 1);
  expect(namesOf('service').length).toBeLessThan(400);
});

test('watching them takes at most 26 more', () => {
  expect(namesOf('watching').length).toBeLessThanOrEqual(26);
  expect(namesOf('watching').map((name) => resources[name]!.Type)).toContain('AWS::CloudWatch::Dashboard');
  const elsewhere = namesOf('service').map((name) => resources[name]!.Type);
  expect(elsewhere.filter((type) => /CloudWatch|MetricFilter/.test(type))).toEqual([]);
});

test('what grows with the number of operations is a function, its role and its method, and the paths', () => {
  const perOperation = ['AWS::Lambda::Function', 'AWS::IAM::Role', 'AWS::ApiGateway::Method'];
  const types = new Map<string, number>();
  for (const { Type } of Object.values(resources)) types.set(Type, (types.get(Type) ?? 0) + 1);
  const many = [...types].filter(([, count]) => count >= 40).map(([type]) => type);
  expect(many.sort()).toEqual([...perOperation, 'AWS::ApiGateway::Resource'].sort());
});

test('a role is for one function, and three log groups are for all', () => {
  const roles = of('AWS::Lambda::Function').map(({ Properties }) => JSON.stringify(Properties['Role']));
  expect(new Set(roles).size).toBe(roles.length);
  expect(of('AWS::Logs::LogGroup').map(({ Properties }) => Properties['LogGroupName'])).toEqual([
    '/SalesPipeline-prod/api',
    '/SalesPipeline-prod/workers',
    '/SalesPipeline-prod/access',
  ]);
});
