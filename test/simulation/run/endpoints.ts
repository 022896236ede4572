import * as companies from '../../../shared/endpoints/companies.ts';
import type { Endpoint } from '../../../shared/endpoints/endpoint.ts';
import * as faqs from '../../../shared/endpoints/faqs.ts';
import * as inquiries from '../../../shared/endpoints/inquiries.ts';
import * as leads from '../../../shared/endpoints/leads.ts';
import * as organization from '../../../shared/endpoints/organization.ts';
import * as policies from '../../../shared/endpoints/policies.ts';
import * as products from '../../../shared/endpoints/products.ts';
import * as scenarios from '../../../shared/endpoints/scenarios.ts';
import * as services from '../../../shared/endpoints/services.ts';
import * as sms from '../../../shared/endpoints/sms.ts';
import * as transfers from '../../../shared/endpoints/transfers.ts';

const all: Record<string, unknown> = {
  ...companies,
  ...faqs,
  ...inquiries,
  ...leads,
  ...organization,
  ...policies,
  ...products,
  ...scenarios,
  ...services,
  ...sms,
  ...transfers,
};

/** An endpoint's contract, by its operationId. @throws Error where there is none */
export function named(operationId: string): Pick<Endpoint, 'method' | 'path' | 'scope'> {
  const endpoint = all[operationId] as Endpoint | undefined;
  if (endpoint?.kind !== 'endpoint') throw new Error(`There is no endpoint ${operationId}`);
  return endpoint;
}
