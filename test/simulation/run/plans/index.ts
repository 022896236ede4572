import type { Draw } from '../draw.ts';
import type { Plan } from '../plan.ts';
import type { Planner } from '../planner.ts';
import { badRequest, misspelt, withoutToken } from './bad-requests.ts';
import { createCategory } from './categories.ts';
import { createInquiry, getInquiry, listInquiries } from './inquiries.ts';
import { createLead, deleteLead, getLead, listLeadActivities, listLeads } from './leads.ts';
import {
  addNote,
  createCompany,
  createFaq,
  createMember,
  createPolicy,
  listCompanyNotes,
  listMembers,
  listPolicies,
  updatePolicy,
} from './others.ts';
import { updateProducts } from './product-batch.ts';
import { createProduct, updateProduct } from './products.ts';
import { createService, getScenario, getService, listOrganizationServices } from './services.ts';
import { sendSms } from './sms.ts';
import { issueToken, revokeToken, rotateToken } from './tokens.ts';
import { createTransfer, updateTransfer } from './transfers.ts';

type MakePlan = (planner: Planner) => Plan;

/** What clients and operators ask, and how often as a rule. */
const plans: readonly (readonly [MakePlan, number])[] = [
  [createLead, 10],
  [deleteLead, 4],
  [getLead, 5],
  [listLeads, 6],
  [listLeadActivities, 6],
  [createInquiry, 8],
  [listInquiries, 10],
  [getInquiry, 5],
  [createCompany, 1],
  [addNote, 3],
  [listCompanyNotes, 3],
  [createMember, 0.5],
  [listMembers, 2],
  [createCategory, 0.7],
  [createService, 2],
  [getService, 2],
  [getScenario, 1],
  [listOrganizationServices, 2],
  [createProduct, 4],
  [updateProduct, 6],
  [updateProducts, 4],
  [createTransfer, 2],
  [updateTransfer, 5],
  [createPolicy, 1.5],
  [updatePolicy, 4],
  [listPolicies, 3],
  [createFaq, 1],
  [sendSms, 6],
  [issueToken, 0.7],
  [revokeToken, 0.5],
  [rotateToken, 0.7],
  [badRequest, 2],
  [misspelt, 0.5],
  [withoutToken, 0.3],
];

/** The operations of one episode, each more or less often than as a rule. */
export const someMix = (draw: Draw): readonly (readonly [MakePlan, number])[] =>
  plans.map(([make, weight]) => [make, weight * draw.pick([0.1, 0.5, 1, 1, 2, 6])] as const);
