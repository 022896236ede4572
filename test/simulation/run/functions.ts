import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { handler as authorize } from '../../../functions/authorizer/authorize.ts';
import { handler as listCompanyNotes } from '../../../functions/companies/list-company-notes.ts';
import { handler as createFaq } from '../../../functions/faqs/create-faq.ts';
import { handler as getInquiry } from '../../../functions/inquiries/get-inquiry.ts';
import { handler as listInquiries } from '../../../functions/inquiries/list-inquiries.ts';
import { handler as createLead } from '../../../functions/leads/create-lead.ts';
import { handler as deleteLead } from '../../../functions/leads/delete-lead.ts';
import { handler as getLead } from '../../../functions/leads/get-lead.ts';
import { handler as listLeadActivities } from '../../../functions/leads/list-lead-activities.ts';
import { handler as listLeads } from '../../../functions/leads/list-leads.ts';
import { handler as listMembers } from '../../../functions/organization/list-members.ts';
import { handler as listOrganizationServices } from '../../../functions/organization/list-organization-services.ts';
import { handler as listPolicies } from '../../../functions/policies/list-policies.ts';
import { handler as updatePolicy } from '../../../functions/policies/update-policy.ts';
import { handler as createProduct } from '../../../functions/products/create-product.ts';
import { handler as updateProduct } from '../../../functions/products/update-product.ts';
import { handler as updateProducts } from '../../../functions/products/update-products.ts';
import { handler as getScenario } from '../../../functions/scenarios/get-scenario.ts';
import { handler as createService } from '../../../functions/services/create-service.ts';
import { handler as getService } from '../../../functions/services/get-service.ts';
import { handler as sendSms } from '../../../functions/sms/send-sms.ts';
import { handler as createTransfer } from '../../../functions/transfers/create-transfer.ts';
import { handler as updateTransfer } from '../../../functions/transfers/update-transfer.ts';
import * as endpoints from './endpoints.ts';

/** A function's handler, as Lambda calls it. */
export type Handler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;

const handlers = {
  createFaq,
  createLead,
  createProduct,
  createService,
  createTransfer,
  deleteLead,
  getInquiry,
  getLead,
  getScenario,
  getService,
  listCompanyNotes,
  listInquiries,
  listLeadActivities,
  listLeads,
  listMembers,
  listOrganizationServices,
  listPolicies,
  sendSms,
  updatePolicy,
  updateProduct,
  updateProducts,
  updateTransfer,
};

/** The functions of the service: each endpoint with its handler, by its operationId; and the authorizer. */
export const functions = {
  authorize,
  endpoint: (name: string) => {
    const handler = handlers[name as keyof typeof handlers] as unknown as Handler;
    return { ...endpoints.named(name), handler };
  },
};
