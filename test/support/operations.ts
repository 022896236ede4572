import { randomBytes } from 'node:crypto';
import { getAppointment, listAppointments } from '../../shared/domain/appointments/appointments.ts';
import { getAvailability } from '../../shared/domain/appointments/availability.ts';
import { createAppointment } from '../../shared/domain/appointments/create-appointment.ts';
import { cancelAppointment, updateAppointment } from '../../shared/domain/appointments/change-appointment.ts';
import { getMemberSchedule, updateMemberSchedule } from '../../shared/domain/calendar/member-schedule.ts';
import { deleteCategory, updateCategory } from '../../shared/domain/catalog/change-category.ts';
import { createCategory, getCategory, listCategories } from '../../shared/domain/categories/categories.ts';
import {
  createCompanyNote,
  createCompany,
  deleteCompanyNote,
  getCompany,
  getCompanyNote,
  listCompanies,
  listCompanyNotes,
  updateCompany,
  updateCompanyNote,
} from '../../shared/domain/companies/companies.ts';
import { deleteCompany } from '../../shared/domain/companies/delete-company.ts';
import { eraseLead } from '../../shared/domain/erasure/erase-lead.ts';
import { listEvents } from '../../shared/domain/feed/list-events.ts';
import { createFaq, deleteFaq, getFaq, listFaqs, updateFaq } from '../../shared/domain/faqs/faqs.ts';
import { submitCallEvent } from '../../shared/domain/calls/submit-call-event.ts';
import { previewForm } from '../../shared/domain/forms/preview-form.ts';
import { createFormSubmission } from '../../shared/domain/forms/create-form-submission.ts';
import { getInquiry, listInquiries, updateInquiry } from '../../shared/domain/inquiries/inquiries.ts';
import { createInquiry } from '../../shared/domain/inquiries/create-inquiry.ts';
import { createLeads } from '../../shared/domain/leads/create-leads.ts';
import { createLead, deleteLead, getLead, listLeadActivities } from '../../shared/domain/leads/leads.ts';
import { listLeads } from '../../shared/domain/leads/list-leads.ts';
import { getPipeline } from '../../shared/domain/leads/pipeline.ts';
import { updateLead } from '../../shared/domain/leads/update-lead.ts';
import { upsertLead } from '../../shared/domain/leads/upsert-lead.ts';
import { createMember, getMember, listMembers } from '../../shared/domain/members/members.ts';
import {
  getOrganizationHours,
  getOrganization,
  updateOrganization,
} from '../../shared/domain/organizations/organizations.ts';
import {
  createPolicy,
  deletePolicy,
  getPolicy,
  listPolicies,
  updatePolicy,
} from '../../shared/domain/policies/policies.ts';
import { deleteMember, updateMember } from '../../shared/domain/tokens/change-member.ts';
import {
  createAccessToken,
  getAccessToken,
  listAccessTokens,
  rotateAccessToken,
  rotateKeySecret,
  updateAccessToken,
} from '../../shared/domain/tokens/access-tokens.ts';
import {
  acceptInvitation,
  deleteInvitation,
  getInvitation,
  inviteMember,
  listInvitations,
  resendInvitation,
} from '../../shared/domain/tokens/invitations.ts';
import { issueToken, revokeToken } from '../../shared/domain/tokens/tokens.ts';
import { updateProducts } from '../../shared/domain/products/batch.ts';
import {
  createProduct,
  deleteProduct,
  getProduct,
  listProducts,
  updateProduct,
} from '../../shared/domain/products/products.ts';
import { answerRinging } from '../../shared/domain/receptionist/answer-ringing.ts';
import { getReceptionist } from '../../shared/domain/receptionist/get-receptionist.ts';
import { getRoute } from '../../shared/domain/receptionist/get-route.ts';
import { getScenario, listScenarios, updateScenario } from '../../shared/domain/scenarios/scenarios.ts';
import {
  createService,
  deleteService,
  getService,
  listServices,
  listOrganizationServices,
  updateService,
} from '../../shared/domain/services/services.ts';
import { sendSms } from '../../shared/domain/sms/sms.ts';
import {
  createTransfer,
  deleteTransfer,
  getTransfer,
  listTransfers,
  updateTransfer,
} from '../../shared/domain/transfers/transfers.ts';
import {
  createWebhook,
  deleteWebhook,
  redeliverWebhook,
  replayWebhook,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
} from '../../shared/domain/webhooks/change-webhook.ts';
import { getWebhook, listWebhookDeliveries, listWebhooks } from '../../shared/domain/webhooks/webhooks.ts';
import type { Ledger, Reach } from '../../shared/ledger/index.ts';
import {
  type Records,
  addAnswer,
  asOwner,
  atBooking,
  never,
  newAppointment,
  newInvitation,
  newKey,
  newTransfer,
  newWebhook,
  page,
} from './filled-records.ts';
import { secretMaker } from './secrets.ts';
import { voiceEvent } from './voice/events.ts';
import { answerRingingEndpoint } from '../../shared/contract/receptionist.ts';

/** Consumption of DynamoDB by an operation. */
export type Cost = [roundTrips: number, readUnits: number, writeUnits: number];

/** Parts of a request beside its method and path. */
export interface TestedRequest {
  params?: Record<string, string | number>;
  query?: Record<string, string | number>;
  body?: object;
}

/**
 * Carries out an operation on an organization with these records. `later` is the same ledger, opened a second
 * time.
 */
export type Run = (ledger: Ledger, records: Records, later: Ledger) => Promise<unknown>;

/** Entry of an operation, for all tests that run every operation. */
export interface TestedOperation {
  /**
   * Exact cost of `run` in an organization that nobody else writes to; undefined for an operation that uses
   * no table.
   */
  cost?: Cost;
  /** Reach of the ledgers, for what operators may not; otherwise they may do all that operators may. */
  reach?: Reach;
  /** Makes further records that `run` needs, at no cost to it. Returns all records. */
  given?: (ledger: Ledger, records: Records) => Promise<Records>;
  /** Calls the verb with the most that it can do; undefined for an operation that uses no table. */
  run?: Run;
  /** A request that succeeds in an organization with these records. `n` makes each request a new one. */
  request: (records: Records, n: number) => TestedRequest;
}

/** Makes two categories, and deletes the first of them. */
const withoutACategory: TestedOperation['given'] = async (ledger, records) => {
  const { id } = await createCategory(ledger, { name: 'Closed', type: 'PRODUCT' });
  await createCategory(ledger, { name: 'Open', type: 'PRODUCT' });
  await deleteCategory(ledger, id);
  return records;
};

/** Makes another appointment of the lead and the user of the first one, on this day. */
const anAppointmentOn =
  (date: string) =>
  async (ledger: Ledger, records: Records): Promise<Records> => {
    const { leadId, userId } = records;
    const times = { start: `${date}T09:00:00.000Z`, end: `${date}T10:00:00.000Z` };
    const booking = { ...newAppointment, ...times, leadId, attendees: [userId] };
    const { appointment } = await createAppointment(ledger, booking, atBooking);
    return { ...records, appointmentId: appointment.id };
  };

/** Makes another invitation. `tokenId` is its token. */
const anInvitation: TestedOperation['given'] = async (ledger, records) => {
  const email = `guest${(await listAccessTokens(ledger, page)).totalCount}@example.com`;
  const { id, token } = await inviteMember(ledger, { ...newInvitation, email }, asOwner(ledger));
  const [newest] = (await listAccessTokens(ledger, page)).items;
  return { ...records, invitationId: id, invitationToken: token, tokenId: newest!.id };
};

/** Issues another key. */
const aKey: TestedOperation['given'] = async (ledger, records) => ({
  ...records,
  tokenId: (await createAccessToken(ledger, newKey, asOwner(ledger))).id,
});

/** Event of a voice platform, in its original form. */
const voiceCall = (name: string) => {
  const json = voiceEvent(name);
  return { text: JSON.stringify(json), json, isSigned: true };
};

/** Clock of a call that rings. Nothing is waited for. */
const atRinging = { now: () => atBooking.now, sleep: () => new Promise<void>(() => undefined) };

const withKnowledge: TestedOperation['given'] = async (ledger, records) => {
  await getReceptionist(ledger, {}, atBooking.now);
  return records;
};

const operations: Record<string, TestedOperation> = {
  listAppointments: {
    cost: [2, 2.5, 0],
    run: (ledger, { userId }) => listAppointments(ledger, { ...page, userId }),
    request: ({ leadId }) => ({ query: { leadId } }),
  },
  createAppointment: {
    // The lead is found, and an attendee booked for a service.
    cost: [3, 15, 21],
    run: (ledger, { userId, serviceId }) =>
      createAppointment(
        ledger,
        {
          ...newAppointment,
          attendees: [userId],
          tradeServiceId: serviceId,
          lead: { email: 'ann@example.com' },
        },
        atBooking,
      ),
    request: ({ leadId, userId }, n) => ({
      body: { ...newAppointment, title: `Drain ${n}`, leadId, attendees: [userId] },
    }),
  },
  getAppointment: {
    cost: [1, 1, 0],
    run: (ledger, { appointmentId }) => getAppointment(ledger, appointmentId),
    request: ({ appointmentId }) => ({ params: { appointmentId } }),
  },
  updateAppointment: {
    // The appointment moves to another day: the head and both days are read serializably, with the settings.
    cost: [3, 14, 24],
    given: anAppointmentOn('2031-12-10'),
    run: (ledger, { appointmentId }) =>
      updateAppointment(ledger, appointmentId, { start: '2031-12-09T09:00:00.000Z' }, atBooking),
    request: ({ appointmentId }, n) => ({ params: { appointmentId }, body: { notes: `Key ${n}` } }),
  },
  getAvailability: {
    cost: [1, 7, 0],
    run: (ledger, { serviceId }) =>
      getAvailability(ledger, { serviceId, from: '2031-12-08', to: '2031-12-14', limit: 100 }, atBooking.now),
    request: ({ serviceId }) => ({ query: { serviceId } }),
  },
  cancelAppointment: {
    cost: [3, 11, 17],
    given: anAppointmentOn('2031-12-11'),
    run: (ledger, { appointmentId }) => cancelAppointment(ledger, appointmentId, atBooking),
    request: ({ appointmentId }) => ({ params: { appointmentId } }),
  },
  listCategories: {
    cost: [1, 2, 0],
    run: (ledger) => listCategories(ledger, page),
    request: () => ({}),
  },
  createCategory: {
    cost: [2, 1, 6],
    run: (ledger) => createCategory(ledger, { name: 'Solar', type: 'SERVICE' }),
    request: (_, n) => ({ body: { name: `Solar ${n}`, type: 'SERVICE' } }),
  },
  getCategory: {
    cost: [1, 1, 0],
    run: (ledger, { categoryId }) => getCategory(ledger, categoryId),
    request: ({ categoryId }) => ({ params: { categoryId } }),
  },
  updateCategory: {
    cost: [2, 2, 6],
    run: (ledger, { categoryId }) =>
      updateCategory(ledger, categoryId, { name: 'Gas fitting', type: 'PRODUCT' }),
    request: ({ categoryId }, n) => ({ params: { categoryId }, body: { name: `Gas fitting ${n}` } }),
  },
  deleteCategory: {
    cost: [2, 2, 8],
    run: (ledger, { categoryId }) => deleteCategory(ledger, categoryId),
    request: ({ categoryId }) => ({ params: { categoryId } }),
  },
  listCompanies: {
    cost: [1, 2, 0],
    run: (ledger) => listCompanies(ledger, page),
    request: () => ({}),
  },
  createCompany: {
    cost: [2, 1, 6],
    run: (ledger) => createCompany(ledger, { name: 'Bayview Strata', phone: '0491 570 158' }),
    request: (_, n) => ({ body: { name: `Bayview Strata ${n}`, phone: '0491 570 158' } }),
  },
  getCompany: {
    cost: [1, 1, 0],
    run: (ledger, { companyId }) => getCompany(ledger, companyId),
    request: ({ companyId }) => ({ params: { companyId } }),
  },
  updateCompany: {
    cost: [2, 2, 6],
    run: (ledger, { companyId }) => updateCompany(ledger, companyId, { phone: '0491 570 159' }),
    request: ({ companyId }, n) => ({ params: { companyId }, body: { address: `${n} Bay Street` } }),
  },
  deleteCompany: {
    // The company has one note, so there are two transactions.
    cost: [6, 6.5, 21],
    given: async (ledger, records) => {
      const { id: companyId } = await createCompany(ledger, { name: 'Closed' });
      await createCompanyNote(ledger, companyId, { value: 'Shut', userId: records.userId });
      return { ...records, companyId };
    },
    run: (ledger, { companyId }) => deleteCompany(ledger, companyId),
    request: ({ companyId }) => ({ params: { companyId } }),
  },
  listCompanyNotes: {
    cost: [1, 1.5, 0],
    run: (ledger, { companyId }) => listCompanyNotes(ledger, companyId, page),
    request: ({ companyId }) => ({ params: { companyId } }),
  },
  createCompanyNote: {
    cost: [2, 2, 9],
    run: (ledger, { companyId, userId }) =>
      createCompanyNote(ledger, companyId, { value: 'Open at noon', userId }),
    request: ({ companyId }, n) => ({ params: { companyId }, body: { value: `Open at noon, ${n}` } }),
  },
  getCompanyNote: {
    cost: [2, 2, 0],
    run: (ledger, records) => getCompanyNote(ledger, records),
    request: ({ companyId, noteId }) => ({ params: { companyId, noteId } }),
  },
  updateCompanyNote: {
    // The company is read serializably, together with the head: 2 units each.
    cost: [2, 5, 7],
    run: (ledger, records) => updateCompanyNote(ledger, records, { value: 'Call after noon' }),
    request: ({ companyId, noteId }, n) => ({
      params: { companyId, noteId },
      body: { value: `Call after noon, ${n}` },
    }),
  },
  deleteCompanyNote: {
    cost: [2, 3, 13],
    run: (ledger, records) => deleteCompanyNote(ledger, records),
    request: ({ companyId, noteId }) => ({ params: { companyId, noteId } }),
  },
  listEvents: {
    // The head, and the first events, which are less than 4 KB.
    cost: [1, 2, 0],
    run: (ledger) => listEvents(ledger, { after: '0', limit: 5 }, () => true),
    request: () => ({}),
  },
  listFaqs: {
    cost: [1, 2, 0],
    run: (ledger) => listFaqs(ledger, page),
    request: () => ({}),
  },
  createFaq: {
    // The state of the list of FAQs in use is read as well.
    cost: [3, 2, 9],
    run: (ledger) => createFaq(ledger, { question: 'Weekends?', answer: 'No' }),
    request: (_, n) => ({ body: { question: `Weekends? ${n}`, answer: 'No' } }),
  },
  getFaq: {
    cost: [1, 1, 0],
    run: (ledger, { faqId }) => getFaq(ledger, faqId),
    request: ({ faqId }) => ({ params: { faqId } }),
  },
  updateFaq: {
    // The FAQ moves from the FAQs in use to the others.
    cost: [3, 4, 14],
    run: (ledger, { faqId }) => updateFaq(ledger, faqId, { isActive: false }),
    request: ({ faqId }, n) => ({ params: { faqId }, body: { answer: `From ${n} to noon` } }),
  },
  deleteFaq: {
    cost: [3, 3, 13],
    run: (ledger, { faqId }) => deleteFaq(ledger, faqId),
    request: ({ faqId }) => ({ params: { faqId } }),
  },
  submitCallEvent: {
    // The lead is new.
    cost: [2, 7, 27],
    run: (ledger) => submitCallEvent(ledger, voiceCall('retell-call-ended'), { keyId: 4, maxPerDay: 1 }),
    request: (_, n) => ({
      body: { event: 'call_started', call: { call_id: `call_${n}`, from_number: '+61491571491' } },
    }),
  },
  getReceptionist: {
    // Its knowledge is current.
    cost: [2, 11, 0],
    reach: { access: answerRingingEndpoint.access },
    given: withKnowledge,
    run: (ledger) => getReceptionist(ledger, { phone: '+61491570156' }, atBooking.now),
    request: () => ({ query: { phone: '+61491570156' } }),
  },
  answerRinging: {
    cost: [2, 11, 0],
    reach: { access: answerRingingEndpoint.access },
    given: withKnowledge,
    run: (ledger) => {
      const ringing = { call_inbound: { from_number: '+61491570156' } };
      return answerRinging(ledger, ringing, { as: 'retell' }, { system: atRinging, report: never });
    },
    request: () => ({ query: { as: 'retell' }, body: { call_inbound: { from_number: '+61491570156' } } }),
  },
  previewForm: {
    cost: [1, 1, 0],
    run: (ledger) =>
      previewForm(ledger, {
        fields: [{ name: 'phone', value: '0491 571 491' }],
        unread: 0,
        site: undefined,
        keyId: 3,
      }),
    request: () => ({ body: { name: 'Cleo Kay', message: 'Call me' } }),
  },
  createFormSubmission: {
    // The lead is new, and the form has an id of another system.
    cost: [2, 9, 35],
    run: async (ledger) => {
      await createFormSubmission(
        ledger,
        {
          fields: [
            { name: 'name', value: 'Dee Dow' },
            { name: 'email', value: 'dee@example.com' },
            { name: 'phone', value: '+61491571491' },
            { name: 'message', value: 'No hot water' },
            { name: 'id', value: 'form-1' },
          ],
          unread: 0,
          site: undefined,
          keyId: 3,
        },
        { map: 'externalInquiryId:id', maxPerDay: 1 },
      );
      return 'stored';
    },
    request: (_, n) => ({
      body: { name: 'Cleo Kay', email: `cleo${n}@example.com`, message: 'Call me', _form: 'Contact' },
    }),
  },
  listInquiries: {
    cost: [2, 3.5, 0],
    run: (ledger) => listInquiries(ledger, { ...page, source: 'CALL', expand: 'both' }),
    request: () => ({}),
  },
  createInquiry: {
    // The lead is found and filled in. The inquiry has a tag, so the state of the tag's list is read as well.
    cost: [4, 9, 24],
    run: (ledger) =>
      createInquiry(ledger, {
        source: 'CALL',
        tag: 'Hot water',
        externalInquiryId: 'call-1',
        lead: { email: 'ann@example.com', suburb: 'Leichhardt' },
        data: {},
      }),
    request: ({ leadId }, n) => ({
      body: { source: 'EMAIL', externalInquiryId: `request-${n}`, leadId, data: { subject: `Quote ${n}` } },
    }),
  },
  getInquiry: {
    cost: [2, 2.5, 0],
    run: (ledger, { inquiryIds }) => getInquiry(ledger, inquiryIds.SMS),
    request: ({ inquiryIds }) => ({ params: { inquiryId: inquiryIds.CALL } }),
  },
  updateInquiry: {
    cost: [3, 4, 16],
    run: (ledger, { inquiryIds }) =>
      updateInquiry(ledger, inquiryIds.CALL, { isRead: true, isFlagged: true, summary: 'Done' }),
    request: ({ inquiryIds }, n) => ({
      params: { inquiryId: inquiryIds.WEBFORM },
      body: { summary: `Contact form, ${n}` },
    }),
  },
  listLeads: {
    cost: [1, 2, 0],
    run: (ledger) => listLeads(ledger, page),
    request: () => ({}),
  },
  createLead: {
    cost: [2, 2, 14],
    run: (ledger) => createLead(ledger, { name: 'Bo', email: 'bo@example.com' }),
    request: (_, n) => ({ body: { name: 'Bo Berg', email: `bo${n}@example.com` } }),
  },
  createLeads: {
    // Two leads, two events and three unique values, with the head and the pipeline.
    cost: [2, 2, 28],
    run: (ledger) =>
      createLeads(
        ledger,
        [
          { name: 'Cy', email: 'cy@example.com', phone: '0491 572 665' },
          { name: 'Ed', email: 'ed@example.com' },
        ],
        never,
      ),
    request: (_, n) => ({ body: { leads: [{ name: 'Cy', email: `cy${n}@example.com` }, { name: 'Ed' }] } }),
  },
  getLead: {
    cost: [1, 1, 0],
    run: (ledger, { leadId }) => getLead(ledger, leadId),
    request: ({ leadId }) => ({ params: { leadId } }),
  },
  updateLead: {
    cost: [2, 3, 20],
    run: (ledger, { leadId }) => updateLead(ledger, leadId, { status: 'quoted', email: 'anna@example.com' }),
    request: ({ leadId }, n) => ({ params: { leadId }, body: { suburb: `Suburb ${n}`, read: true } }),
  },
  upsertLead: {
    // The lead is found by an id, and moves to another status, with another email.
    cost: [3, 6, 20],
    given: async (ledger, records) => {
      await createLead(ledger, { name: 'Gil', email: 'gil@example.com', externalId: 'crm-1' });
      return records;
    },
    run: (ledger) => {
      const changes = { status: 'quoted', email: 'gill@example.com' } as const;
      return upsertLead(ledger, 'externalId', { name: 'Gil', externalId: 'crm-1', ...changes });
    },
    request: (_, n) => ({
      query: { match: 'email' },
      body: { name: 'Ann Lee', email: 'ann@example.com', suburb: `Town ${n}` },
    }),
  },
  deleteLead: {
    cost: [2, 3, 25],
    run: (ledger, { leadId }) => deleteLead(ledger, leadId),
    request: ({ leadId }) => ({ params: { leadId } }),
  },
  eraseLead: {
    // The lead has no inquiries. With inquiries the cost varies: it depends on which of two reads ends first.
    // A webhook was sent one event about it. The note of the erased number takes 2 units.
    cost: [5, 5, 28],
    given: async (ledger, records) => {
      const lead = { name: 'Eve Ash', email: 'eve@example.com', phone: '0491 570 110' };
      const { id: leadId } = await createLead(ledger, lead);
      await addAnswer(ledger, leadId);
      return { ...records, leadId };
    },
    run: (ledger, { leadId }) => eraseLead(ledger, leadId),
    request: ({ leadId }) => ({ params: { leadId } }),
  },
  listLeadActivities: {
    cost: [1, 2, 0],
    run: (ledger, { leadId }) => listLeadActivities(ledger, leadId, page),
    request: ({ leadId }) => ({ params: { leadId } }),
  },
  getOpenApi: {
    request: () => ({}),
  },
  getToken: {
    request: () => ({}),
  },
  getOrganization: {
    // The organization and its pipeline are read serializably: 2 units each.
    cost: [1, 5, 0],
    run: (ledger) => getOrganization(ledger),
    request: () => ({}),
  },
  updateOrganization: {
    cost: [3, 8, 10],
    run: (ledger) => updateOrganization(ledger, { name: 'Harbour', timeZone: 'Australia/Perth' }),
    request: (_, n) => ({ body: { website: `https://site${n}.example` } }),
  },
  getOrganizationHours: {
    cost: [1, 4, 0],
    run: (ledger) => getOrganizationHours(ledger, Date.now()),
    request: () => ({}),
  },
  listMembers: {
    cost: [1, 2, 0],
    run: (ledger) => listMembers(ledger, page),
    request: () => ({}),
  },
  getMember: {
    cost: [1, 1, 0],
    run: (ledger, { memberId }) => getMember(ledger, memberId),
    request: ({ memberId }) => ({ params: { memberId } }),
  },
  updateMember: {
    // All tokens are read serializably: none of them is the member's, so no grant is written.
    // The member whose token changes the role is read, too.
    cost: [4, 10, 6],
    run: (ledger, { memberId, userId }) => updateMember(ledger, memberId, { role: 'ADMIN' }, { userId }),
    request: ({ memberId }, n) => ({ params: { memberId }, body: { position: `Plumber ${n}` } }),
  },
  deleteMember: {
    // A member with one token: the token's record and its grant are written, too. The remover is read.
    cost: [6, 35, 14],
    given: async (ledger, records) => {
      const person = { firstName: 'Max', lastName: 'Tran', email: 'left@example.com' };
      const { id, user } = await createMember(ledger, person);
      const token = { name: 'Phone', mode: 'test', scopes: ['read'], userId: user.id } as const;
      await issueToken(ledger, token, randomBytes);
      return { ...records, memberId: id };
    },
    run: (ledger, { memberId, userId }) => deleteMember(ledger, memberId, { userId }),
    request: ({ memberId }) => ({ params: { memberId } }),
  },
  // All operations below that make or revoke tokens read all tokens serializably, at 2 units for each.
  inviteMember: {
    cost: [5, 15, 14],
    run: (ledger) => inviteMember(ledger, { ...newInvitation, email: 'other@example.com' }, asOwner(ledger)),
    request: (_, n) => ({ body: { ...newInvitation, email: `new${n}@example.com` } }),
  },
  listInvitations: {
    cost: [1, 2, 0],
    run: (ledger) => listInvitations(ledger, page),
    request: () => ({}),
  },
  getInvitation: {
    cost: [1, 1, 0],
    run: (ledger, { invitationId }) => getInvitation(ledger, invitationId),
    request: ({ invitationId }) => ({ params: { invitationId } }),
  },
  resendInvitation: {
    cost: [8, 29, 16],
    given: anInvitation,
    run: (ledger, { invitationId }) => resendInvitation(ledger, invitationId, asOwner(ledger)),
    request: ({ invitationId }) => ({ params: { invitationId } }),
  },
  acceptInvitation: {
    cost: [4, 7, 26],
    given: anInvitation,
    run: (ledger, { invitationId, tokenId }) =>
      acceptInvitation(ledger, invitationId, { ...asOwner(ledger), tokenId }),
    request: ({ invitationId }) => ({ params: { invitationId } }),
  },
  deleteInvitation: {
    cost: [6, 37, 14],
    given: anInvitation,
    run: (ledger, { invitationId }) => deleteInvitation(ledger, invitationId, { by: asOwner(ledger) }),
    request: ({ invitationId }) => ({ params: { invitationId } }),
  },
  listAccessTokens: {
    cost: [2, 18, 0],
    run: (ledger) => listAccessTokens(ledger, page),
    request: () => ({}),
  },
  getAccessToken: {
    cost: [2, 3, 0],
    run: (ledger, { tokenId }) => getAccessToken(ledger, tokenId),
    request: ({ tokenId }) => ({ params: { tokenId } }),
  },
  createAccessToken: {
    cost: [5, 24, 8],
    run: (ledger) => createAccessToken(ledger, { name: 'Website', scopes: ['read'] }, asOwner(ledger)),
    request: (_, n) => ({ body: { name: `Website ${n}`, scopes: ['leads:create'] } }),
  },
  updateAccessToken: {
    cost: [5, 8, 6],
    given: aKey,
    run: (ledger, { tokenId }) =>
      updateAccessToken(ledger, tokenId, { name: 'Vapi' }, { by: asOwner(ledger) }),
    request: ({ tokenId }, n) => ({ params: { tokenId }, body: { name: `Key ${n}` } }),
  },
  rotateAccessToken: {
    cost: [5, 28, 14],
    given: aKey,
    run: (ledger, { tokenId }) => rotateAccessToken(ledger, tokenId, {}, asOwner(ledger)),
    request: ({ tokenId }) => ({ params: { tokenId }, body: {} }),
  },
  rotateKeySecret: {
    cost: [4, 8, 8],
    given: aKey,
    run: (ledger, { tokenId }) =>
      rotateKeySecret(ledger, tokenId, { secret: 'key_another_secret' }, asOwner(ledger)),
    request: ({ tokenId }, n) => ({ params: { tokenId }, body: { secret: `key_another_secret${n}` } }),
  },
  deleteAccessToken: {
    cost: [5, 8, 8],
    given: aKey,
    run: (ledger, { tokenId }) => revokeToken(ledger, tokenId, asOwner(ledger)),
    request: ({ tokenId }) => ({ params: { tokenId } }),
  },
  getMemberSchedule: {
    cost: [1, 1, 0],
    run: (ledger, { memberId }) => getMemberSchedule(ledger, memberId),
    request: ({ memberId }) => ({ params: { memberId } }),
  },
  updateMemberSchedule: {
    // The service is read serializably: 2 units.
    cost: [3, 4, 6],
    run: (ledger, { memberId, serviceId }) =>
      updateMemberSchedule(ledger, memberId, { serviceIds: [serviceId], priority: 1 }),
    request: ({ memberId }, n) => ({ params: { memberId }, body: { priority: n % 1000 } }),
  },
  listOrganizationServices: {
    // A category was deleted, so the head is read as well.
    cost: [2, 3, 0],
    given: withoutACategory,
    run: (ledger) => listOrganizationServices(ledger),
    request: () => ({}),
  },
  getPipeline: {
    cost: [1, 1, 0],
    run: (ledger) => getPipeline(ledger, Date.now()),
    request: () => ({}),
  },
  listPolicies: {
    cost: [1, 2, 0],
    run: (ledger) => listPolicies(ledger, page),
    request: () => ({}),
  },
  createPolicy: {
    // The state of the list of policies in use is read as well.
    cost: [3, 2, 9],
    run: (ledger) => createPolicy(ledger, { title: 'Warranty', content: 'A year' }),
    request: (_, n) => ({ body: { title: `Warranty ${n}`, content: 'A year' } }),
  },
  getPolicy: {
    cost: [1, 1, 0],
    run: (ledger, { policyId }) => getPolicy(ledger, policyId),
    request: ({ policyId }) => ({ params: { policyId } }),
  },
  updatePolicy: {
    // The policy moves from the policies in use to the others.
    cost: [3, 4, 14],
    run: (ledger, { policyId }) => updatePolicy(ledger, policyId, { isActive: false }),
    request: ({ policyId }, n) => ({ params: { policyId }, body: { content: `${n} days before` } }),
  },
  deletePolicy: {
    cost: [3, 3, 13],
    run: (ledger, { policyId }) => deletePolicy(ledger, policyId),
    request: ({ policyId }) => ({ params: { policyId } }),
  },
  listProducts: {
    cost: [1, 2, 0],
    run: (ledger) => listProducts(ledger, page),
    request: () => ({}),
  },
  getProduct: {
    cost: [1, 1, 0],
    run: (ledger, { productId }) => getProduct(ledger, productId),
    request: ({ productId }) => ({ params: { productId } }),
  },
  createProduct: {
    // The category's lists change too, and the state of the list of products in use is read. The price has decimals, so
    // the currency is read serializably: a call and 2 units.
    cost: [4, 5, 15],
    run: (ledger) =>
      createProduct(ledger, { name: 'Sink', tradeCategoryId: 2, pricingType: 'FIXED', price: 90.5 }),
    request: (_, n) => ({ body: { name: `Sink ${n}`, tradeCategoryId: 2, pricingType: 'NONE' } }),
  },
  updateProduct: {
    cost: [2, 2, 13],
    run: (ledger, { productId }) => updateProduct(ledger, productId, { name: 'Mixer tap' }),
    request: ({ productId }, n) => ({ params: { productId }, body: { name: `Mixer tap ${n}` } }),
  },
  deleteProduct: {
    // The product leaves the lists of its category, which is read and stored.
    cost: [4, 4, 23],
    run: (ledger, { productId }) => deleteProduct(ledger, productId),
    request: ({ productId }) => ({ params: { productId } }),
  },
  updateProducts: {
    cost: [2, 2, 13],
    run: (ledger, { productId }) =>
      updateProducts(ledger, { updates: [{ id: productId, name: 'Basin tap' }] }, never),
    request: ({ productId }, n) => ({ body: { updates: [{ id: productId, name: `Basin tap ${n}` }] } }),
  },
  listScenarios: {
    cost: [1, 2, 0],
    run: (ledger) => listScenarios(ledger, page),
    request: () => ({}),
  },
  getScenario: {
    cost: [1, 1, 0],
    run: (ledger, { scenarioId }) => getScenario(ledger, scenarioId),
    request: ({ scenarioId }) => ({ params: { scenarioId } }),
  },
  updateScenario: {
    // The scenario moves from the scenarios in use to the others.
    cost: [3, 4, 14],
    run: (ledger, { scenarioId }) => updateScenario(ledger, scenarioId, { isActive: false }),
    request: ({ scenarioId }, n) => ({ params: { scenarioId }, body: { response: `From ${n} dollars` } }),
  },
  listServices: {
    cost: [2, 3, 0],
    run: (ledger) => listServices(ledger, page),
    request: () => ({}),
  },
  createService: {
    // The category's lists change too, and the states of two lists are read: of services and of scenarios.
    cost: [3, 4, 20],
    run: (ledger) => createService(ledger, { name: 'Leaking tap', tradeCategoryId: 1 }),
    request: (_, n) => ({ body: { name: `Leaking tap ${n}`, tradeCategoryId: 1 } }),
  },
  getService: {
    cost: [2, 2, 0],
    run: (ledger, { serviceId }) => getService(ledger, serviceId),
    request: ({ serviceId }) => ({ params: { serviceId } }),
  },
  updateService: {
    // The scenario, which the answer has, is read serializably: 2 units.
    cost: [3, 4, 13],
    run: (ledger, { serviceId }) => updateService(ledger, serviceId, { name: 'Clogged drain' }),
    request: ({ serviceId }, n) => ({ params: { serviceId }, body: { description: `Drain ${n}` } }),
  },
  deleteService: {
    // A transfer rule names the scenario of the usual service.
    cost: [4, 6, 32],
    given: async (ledger, records) => {
      const { id: serviceId } = await createService(ledger, { name: 'Old boiler', tradeCategoryId: 1 });
      return { ...records, serviceId };
    },
    run: (ledger, { serviceId }) => deleteService(ledger, serviceId),
    request: ({ serviceId }) => ({ params: { serviceId } }),
  },
  sendSms: {
    // The organization's record says which number sends. The provider's id is a unique value. The lead is
    // written twice: it gets the inquiry with the message, and the activity with the outcome. A SENDING
    // message is in the index of due records: one unit to put it there, one to take it out.
    cost: [4, 10, 37],
    run: (ledger, { userId, leadId }, later) =>
      sendSms(
        { before: ledger, after: later },
        {
          send: ({ context }) =>
            Promise.resolve({ status: 'SENT', providerId: `provider-${context['message']}` }),
          from: 'arn:aws:sms-voice:us-east-1:000000000000:pool/pool-1',
        },
        { userId, leadId, message: 'On our way' },
        never,
      ),
    request: ({ userId, leadId }, n) => ({ body: { userId, leadId, message: `On our way, ${n}` } }),
  },
  listTransfers: {
    cost: [1, 2, 0],
    run: (ledger) => listTransfers(ledger, page),
    request: () => ({}),
  },
  getRoute: {
    // The organization and its time zone as of one moment, the rules, and the members.
    cost: [1, 6, 0],
    run: (ledger) => getRoute(ledger, 'office', atBooking.now),
    request: () => ({ query: { topic: 'office' } }),
  },
  createTransfer: {
    // The scenario owns the list of its rules.
    cost: [4, 3, 15],
    run: (ledger, { scenarioId }) => createTransfer(ledger, { ...newTransfer, label: 'Gas', scenarioId }),
    request: (_, n) => ({
      body: {
        label: `Bursts ${n}`,
        method: 'WARM',
        destinationType: 'DEPARTMENT',
        destination: 'Office',
        conditions: 'Asks for it',
      },
    }),
  },
  getTransfer: {
    cost: [1, 1, 0],
    run: (ledger, { transferId }) => getTransfer(ledger, transferId),
    request: ({ transferId }) => ({ params: { transferId } }),
  },
  updateTransfer: {
    cost: [2, 2, 11],
    run: (ledger, { transferId }) => updateTransfer(ledger, transferId, { label: 'Burst pipes' }),
    request: ({ transferId }, n) => ({ params: { transferId }, body: { label: `Burst pipes ${n}` } }),
  },
  deleteTransfer: {
    cost: [3, 3, 15],
    run: (ledger, { transferId }) => deleteTransfer(ledger, transferId),
    request: ({ transferId }) => ({ params: { transferId } }),
  },
  listWebhooks: {
    cost: [1, 2, 0],
    run: (ledger) => listWebhooks(ledger, page),
    request: () => ({}),
  },
  getWebhook: {
    cost: [1, 1, 0],
    run: (ledger, { webhookId }) => getWebhook(ledger, webhookId),
    request: ({ webhookId }) => ({ params: { webhookId } }),
  },
  createWebhook: {
    // Its cursor is stored, too, and the claim of its address and types.
    cost: [2, 1, 11],
    run: (ledger) => createWebhook(ledger, newWebhook, asOwner(ledger)),
    request: (_, n) => ({ body: { ...newWebhook, url: `${newWebhook.url}/${n}` } }),
  },
  updateWebhook: {
    cost: [2, 2, 6],
    run: (ledger, { webhookId }) =>
      updateWebhook(ledger, webhookId, { description: 'Another' }, asOwner(ledger)),
    request: ({ webhookId }, n) => ({ params: { webhookId }, body: { description: `Number ${n}` } }),
  },
  deleteWebhook: {
    cost: [2, 2, 10],
    run: (ledger, { webhookId }) => deleteWebhook(ledger, webhookId),
    request: ({ webhookId }) => ({ params: { webhookId } }),
  },
  rotateWebhookSecret: {
    cost: [2, 2, 6],
    run: (ledger, { webhookId }) => rotateWebhookSecret(ledger, webhookId, secretMaker),
    request: ({ webhookId }) => ({ params: { webhookId } }),
  },
  testWebhook: {
    cost: [2, 2, 6],
    run: (ledger, { webhookId }) => testWebhook(ledger, webhookId),
    request: ({ webhookId }) => ({ params: { webhookId } }),
  },
  listWebhookDeliveries: {
    // One is about a lead, so what the receiver answered is read as well.
    cost: [3, 4, 0],
    run: (ledger, { webhookId }) => listWebhookDeliveries(ledger, webhookId, page, () => true),
    request: ({ webhookId }) => ({ params: { webhookId } }),
  },
  redeliverWebhook: {
    // The webhook, its cursor and the delivery are read before the write.
    cost: [3, 5, 6],
    run: (ledger, { webhookId, deliveryId }) => redeliverWebhook(ledger, { webhookId, deliveryId }),
    request: ({ webhookId, deliveryId }) => ({ params: { webhookId, deliveryId } }),
  },
  replayWebhook: {
    cost: [2, 2, 6],
    run: (ledger, { webhookId }) => replayWebhook(ledger, webhookId, 1),
    request: ({ webhookId }) => ({ params: { webhookId }, body: { after: 1 } }),
  },
};

/** Entries of all operations, by operationId. Tests of costs run them in this order. */
export const everyOperation: ReadonlyMap<string, TestedOperation> = new Map(Object.entries(operations));

/**
 * Orders operations so that each finds what it needs. Deletions come last. The very last are deletions that also
 * delete records of the record, or that need no live record.
 */
export const neededFirst = (one: { operationId: string }, other: { operationId: string }): number =>
  placeOf(one.operationId) - placeOf(other.operationId);

const placeOf = (operationId: string) =>
  ['eraseLead', 'deleteCompany'].includes(operationId) ? 2 : operationId.startsWith('delete') ? 1 : 0;

/** Entry of one operation. @throws Error for an operation without an entry */
export function testedOperation(operationId: string): TestedOperation {
  const tested = everyOperation.get(operationId);
  if (!tested)
    throw new Error(
      `The endpoint ${operationId} has no entry: add ${operationId} to test/support/operations.ts`,
    );
  return tested;
}
