import * as companies from '../../../shared/contract/companies.ts';
import type { Endpoint } from '../../../shared/contract/endpoint.ts';
import * as faqs from '../../../shared/contract/faqs.ts';
import * as inquiries from '../../../shared/contract/inquiries.ts';
import * as leads from '../../../shared/contract/leads.ts';
import * as organization from '../../../shared/contract/organization.ts';
import * as policies from '../../../shared/contract/policies.ts';
import * as products from '../../../shared/contract/products.ts';
import * as scenarios from '../../../shared/contract/scenarios.ts';
import * as services from '../../../shared/contract/services.ts';
import * as sms from '../../../shared/contract/sms.ts';
import * as transfers from '../../../shared/contract/transfers.ts';

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
