import type { Plan } from '../plan.ts';
import type { Planner } from '../planner.ts';

/** A request that no state of the organization makes right. */
export function badRequest({ draw, organization }: Planner): Plan {
  const [call, status]: [Plan['call'], number] = draw.pick<[Plan['call'], number]>([
    [{ endpoint: 'createLead', body: '{"name":' }, 400],
    [{ endpoint: 'createLead', body: '[]' }, 400],
    [{ endpoint: 'createLead', body: '{"firstName":"Ann","nickname":"A"}' }, 400],
    [{ endpoint: 'createLead', body: '{"firstName":"Ann","phone":"not a number"}' }, 400],
    [{ endpoint: 'createLead', body: '{"email":"ann@example.com"}' }, 400],
    [{ endpoint: 'createLead', body: '{}', headers: { 'Content-Type': 'text/plain' } }, 415],
    [{ endpoint: 'listLeads', query: { page: '0' } }, 400],
    [{ endpoint: 'listLeads', query: { limit: '101' } }, 400],
    [{ endpoint: 'listInquiries', query: { source: 'FAX' } }, 400],
    [{ endpoint: 'getService', params: { serviceId: '0' } }, 404],
    [{ endpoint: 'updateProducts', body: '{"updates":[]}' }, 400],
    [{ endpoint: 'updateProducts', body: JSON.stringify({ updates: Array(101).fill({ id: 1 }) }) }, 400],
    [{ endpoint: 'createFaq', body: '{"question":" ","answer":"x"}' }, 400],
    [{ endpoint: 'createService', body: '{"name":"x","tradeCategoryId":1,"pricingMode":"FIXED"}' }, 400],
    [{ endpoint: 'sendSms', body: '{"userId":"x","leadId":"y","message":""}' }, 400],
  ]);
  return {
    operation: 'bad request',
    organization,
    call,
    refusals: () => [{ status }],
  };
}

/** A request with a token that is none, was mistyped, or is one of the organization's other tokens. */
export function withoutToken({ draw, organization }: Planner): Plan {
  const token = draw.pick(['', 'sk_test_0', `sk_live_${'0'.repeat(36)}`]);
  return {
    operation: 'no token',
    organization,
    call: { endpoint: 'listLeads' },
    token,
    refusedBefore: { status: 401 },
  };
}
