import { randomBytes } from 'node:crypto';
import { findContracts } from '../../infra/functions.ts';
import { answerRingingEndpoint } from '../../shared/contract/receptionist.ts';
import { createAppointment } from '../../shared/domain/appointments/create-appointment.ts';
import { deleteCategory } from '../../shared/domain/catalog/change-category.ts';
import { createCategory } from '../../shared/domain/categories/categories.ts';
import { createCompany, createCompanyNote } from '../../shared/domain/companies/companies.ts';
import { createLead } from '../../shared/domain/leads/leads.ts';
import { createMember } from '../../shared/domain/members/members.ts';
import { getReceptionist } from '../../shared/domain/receptionist/get-receptionist.ts';
import { createService } from '../../shared/domain/services/services.ts';
import { createAccessToken, listAccessTokens } from '../../shared/domain/tokens/access-tokens.ts';
import { inviteMember } from '../../shared/domain/tokens/invitations.ts';
import { issueToken } from '../../shared/domain/tokens/tokens.ts';
import type { Ledger, Reach } from '../../shared/ledger/index.ts';
import {
  type Records,
  addAnswer,
  asOwner,
  atBooking,
  newAppointment,
  newInvitation,
  newKey,
  newTransfer,
  newWebhook,
  page,
} from './filled-records.ts';

/** Consumption of DynamoDB by an operation. */
export type Cost = [roundTrips: number, readUnits: number, writeUnits: number];

/** Parts of a request beside its method and path. */
export interface TestedRequest {
  params?: Record<string, string | number>;
  query?: Record<string, string | number>;
  body?: object;
}

/** Entry of an operation, for all tests that run every operation. */
interface Entry {
  /**
   * Exact cost of its first request in an organization that nobody else writes to; undefined for an operation that uses
   * no table.
   */
  cost?: Cost;
  /** Reach of the ledger of `given`, for what operators may not; otherwise it may do all that operators may. */
  reach?: Reach;
  /** Makes further records that the request needs, at no cost to it. Returns all records. */
  given?: (ledger: Ledger, records: Records) => Promise<Records>;
  /** Query and body of the request of the cost, if it does more than the usual request. */
  most?: (records: Records) => Omit<TestedRequest, 'params'>;
  /**
   * Query and body of a request that succeeds in an organization with these records, and does the most that it can. `n`
   * makes each request a new one.
   */
  query?: (records: Records) => Record<string, string | number>;
  body?: (records: Records, n: number) => object;
}

/** Entry of an operation, with its whole requests. */
export interface TestedOperation extends Pick<Entry, 'cost' | 'reach' | 'given'> {
  request: (records: Records, n: number) => TestedRequest;
  /** The request of the cost. */
  most: (records: Records) => TestedRequest;
}

/** Makes two categories, and deletes the first of them. */
const withoutACategory: Entry['given'] = async (ledger, records) => {
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
const anInvitation: Entry['given'] = async (ledger, records) => {
  const email = `guest${(await listAccessTokens(ledger, page)).totalCount}@example.com`;
  const { id, token } = await inviteMember(ledger, { ...newInvitation, email }, asOwner(ledger));
  const [newest] = (await listAccessTokens(ledger, page)).items;
  return { ...records, invitationId: id, invitationToken: token, tokenId: newest!.id };
};

/** Issues another key. */
const aKey: Entry['given'] = async (ledger, records) => ({
  ...records,
  tokenId: (await createAccessToken(ledger, newKey, asOwner(ledger))).id,
});

/** Stores the knowledge of the receptionist. */
const withKnowledge: Entry['given'] = async (ledger, records) => {
  await getReceptionist(ledger, {}, atBooking.now);
  return records;
};

const entries: Record<string, Entry> = {
  listAppointments: {
    cost: [2, 2.5, 0],
    query: ({ userId }) => ({ userId }),
  },
  createAppointment: {
    // The lead is found, and an attendee booked for a service.
    cost: [3, 15, 21],
    body: ({ userId, serviceId }, n) => ({
      ...newAppointment,
      title: `Drain ${n}`,
      attendees: [userId],
      tradeServiceId: serviceId,
      lead: { email: 'ann@example.com' },
    }),
  },
  getAppointment: { cost: [1, 1, 0] },
  updateAppointment: {
    // The appointment moves to another day: the head and both days are read serializably, with the settings.
    cost: [3, 14, 24],
    given: anAppointmentOn('2031-12-10'),
    body: (_, n) => ({ start: '2031-12-09T09:00:00.000Z', notes: `Key ${n}` }),
  },
  getAvailability: {
    cost: [1, 7, 0],
    query: ({ serviceId }) => ({ serviceId }),
  },
  cancelAppointment: {
    cost: [3, 11, 17],
    given: anAppointmentOn('2031-12-11'),
  },
  listCategories: { cost: [1, 2, 0] },
  createCategory: {
    cost: [2, 1, 6],
    body: (_, n) => ({ name: `Solar ${n}`, type: 'SERVICE' }),
  },
  getCategory: { cost: [1, 1, 0] },
  updateCategory: {
    cost: [2, 2, 6],
    body: (_, n) => ({ name: `Gas fitting ${n}` }),
  },
  deleteCategory: { cost: [2, 2, 8] },
  listCompanies: { cost: [1, 2, 0] },
  createCompany: {
    cost: [2, 1, 6],
    body: (_, n) => ({ name: `Bayview Strata ${n}`, phone: '0491 570 158' }),
  },
  getCompany: { cost: [1, 1, 0] },
  updateCompany: {
    cost: [2, 2, 6],
    body: (_, n) => ({ address: `${n} Bay Street` }),
  },
  deleteCompany: {
    // The company has one note, so there are two transactions.
    cost: [6, 6.5, 21],
    given: async (ledger, records) => {
      const { id: companyId } = await createCompany(ledger, { name: 'Closed' });
      await createCompanyNote(ledger, companyId, { value: 'Shut', userId: records.userId });
      return { ...records, companyId };
    },
  },
  listCompanyNotes: { cost: [1, 1.5, 0] },
  createCompanyNote: {
    cost: [2, 2, 9],
    body: (_, n) => ({ value: `Open at noon, ${n}` }),
  },
  getCompanyNote: { cost: [2, 2, 0] },
  updateCompanyNote: {
    // The company is read serializably, together with the head: 2 units each.
    cost: [2, 5, 7],
    body: (_, n) => ({ value: `Call after noon, ${n}` }),
  },
  deleteCompanyNote: { cost: [2, 3, 13] },
  listEvents: {
    // The head, and the first events, which are less than 4 KB.
    cost: [1, 2, 0],
    query: () => ({ limit: 5 }),
  },
  listFaqs: { cost: [1, 2, 0] },
  createFaq: {
    // The state of the list of FAQs in use is read as well.
    cost: [3, 2, 9],
    body: (_, n) => ({ question: `Weekends? ${n}`, answer: 'No' }),
  },
  getFaq: { cost: [1, 1, 0] },
  updateFaq: {
    // The FAQ moves from the FAQs in use to the others.
    cost: [3, 4, 14],
    body: (_, n) => ({ answer: `From ${n} to noon`, isActive: false }),
  },
  deleteFaq: { cost: [3, 3, 13] },
  submitCallEvent: {
    // The lead is new.
    cost: [2, 7, 27],
    body: (_, n) => ({
      event: 'call_ended',
      call: { call_id: `call_${n}`, direction: 'inbound', from_number: '+14155550123' },
    }),
  },
  getReceptionist: {
    // Its knowledge is current.
    cost: [2, 11, 0],
    reach: { access: answerRingingEndpoint.access },
    given: withKnowledge,
    query: () => ({ phone: '+61491570156' }),
  },
  answerRinging: {
    cost: [2, 11, 0],
    reach: { access: answerRingingEndpoint.access },
    given: withKnowledge,
    query: () => ({ as: 'retell' }),
    body: () => ({ call_inbound: { from_number: '+61491570156' } }),
  },
  previewForm: {
    cost: [1, 1, 0],
    body: () => ({ name: 'Cleo Kay', phone: '0491 571 491', message: 'Call me' }),
  },
  createFormSubmission: {
    // The lead is new, and the form has an id of another system.
    cost: [2, 9, 35],
    query: () => ({ map: 'externalInquiryId:id' }),
    body: (_, n) => ({
      name: 'Dee Dow',
      email: `dee${n}@example.com`,
      phone: '+61491571491',
      message: 'No hot water',
      id: `form-${n}`,
    }),
  },
  listInquiries: {
    cost: [2, 3.5, 0],
    query: () => ({ source: 'CALL', expand: 'both' }),
  },
  createInquiry: {
    // The lead is found and filled in. The inquiry has a tag, so the state of the tag's list is read as well.
    cost: [4, 9, 24],
    body: (_, n) => ({
      source: 'CALL',
      tag: 'Hot water',
      externalInquiryId: `call-${n}`,
      lead: { email: 'ann@example.com', suburb: 'Leichhardt' },
      data: {},
    }),
  },
  getInquiry: {
    // The sender of a text is read as well.
    cost: [2, 2.5, 0],
    given: (_, records) => Promise.resolve({ ...records, inquiryId: records.inquiryIds.SMS }),
  },
  updateInquiry: {
    cost: [3, 4, 16],
    body: (_, n) => ({ isRead: true, isFlagged: true, summary: `Done, ${n}` }),
  },
  listLeads: { cost: [1, 2, 0] },
  createLead: {
    cost: [2, 2, 14],
    body: (_, n) => ({ name: 'Bo', email: `bo${n}@example.com` }),
  },
  createLeads: {
    // Two leads, two events and three unique values, with the head and the pipeline.
    cost: [2, 2, 28],
    body: (_, n) => ({
      leads: [
        { name: 'Cy', email: `cy${n}@example.com`, phone: `+61491${572_000 + n}` },
        { name: 'Ed', email: `ed${n}@example.com` },
      ],
    }),
  },
  getLead: { cost: [1, 1, 0] },
  updateLead: {
    cost: [2, 3, 20],
    most: () => ({ body: { status: 'quoted', email: 'anna@example.com' } }),
    body: (_, n) => ({ suburb: `Suburb ${n}`, read: true }),
  },
  upsertLead: {
    // The lead is found by an id, and moves to another status, with another email.
    cost: [3, 6, 20],
    given: async (ledger, records) => {
      await createLead(ledger, { name: 'Gil', email: 'gil@example.com', externalId: 'crm-1' });
      return records;
    },
    most: () => ({
      query: { match: 'externalId' },
      body: { name: 'Gil', externalId: 'crm-1', status: 'quoted', email: 'gill@example.com' },
    }),
    query: () => ({ match: 'email' }),
    body: (_, n) => ({ name: 'Ann Lee', email: 'ann@example.com', suburb: `Town ${n}` }),
  },
  deleteLead: { cost: [2, 3, 25] },
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
  },
  listLeadActivities: { cost: [1, 2, 0] },
  getOpenApi: {},
  getToken: {},
  getOrganization: {
    // The organization and its pipeline are read serializably: 2 units each.
    cost: [1, 5, 0],
  },
  updateOrganization: {
    cost: [3, 8, 10],
    most: () => ({ body: { name: 'Harbour', timeZone: 'Australia/Perth' } }),
    body: (_, n) => ({ website: `https://site${n}.example` }),
  },
  getOrganizationHours: { cost: [1, 4, 0] },
  listMembers: { cost: [1, 2, 0] },
  getMember: { cost: [1, 1, 0] },
  updateMember: {
    // All tokens are read serializably: none of them is the member's, so no grant is written. The member whose token
    // changes the role is read, too.
    cost: [4, 10, 6],
    body: (_, n) => ({ role: n % 2 === 1 ? 'ADMIN' : 'OWNER' }),
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
  },
  // All operations below that make or revoke tokens read all tokens serializably, at 2 units for each.
  inviteMember: {
    cost: [5, 15, 14],
    body: (_, n) => ({ ...newInvitation, email: `new${n}@example.com` }),
  },
  listInvitations: { cost: [1, 2, 0] },
  getInvitation: { cost: [1, 1, 0] },
  resendInvitation: {
    cost: [8, 29, 16],
    given: anInvitation,
  },
  acceptInvitation: {
    cost: [4, 7, 26],
    given: anInvitation,
  },
  deleteInvitation: {
    cost: [6, 37, 14],
    given: anInvitation,
  },
  listAccessTokens: { cost: [2, 18, 0] },
  getAccessToken: { cost: [2, 3, 0] },
  createAccessToken: {
    cost: [5, 24, 8],
    body: (_, n) => ({ name: `Website ${n}`, scopes: ['leads:create'] }),
  },
  updateAccessToken: {
    cost: [5, 8, 6],
    given: aKey,
    body: (_, n) => ({ name: `Key ${n}` }),
  },
  rotateAccessToken: {
    cost: [5, 28, 14],
    given: aKey,
    body: () => ({}),
  },
  rotateKeySecret: {
    cost: [4, 8, 8],
    given: aKey,
    body: (_, n) => ({ secret: `key_another_secret${n}` }),
  },
  deleteAccessToken: {
    cost: [5, 8, 8],
    given: aKey,
  },
  getMemberSchedule: { cost: [1, 1, 0] },
  updateMemberSchedule: {
    // The service is read serializably: 2 units.
    cost: [3, 4, 6],
    body: ({ serviceId }, n) => ({ serviceIds: [serviceId], priority: n % 1000 }),
  },
  listOrganizationServices: {
    // A category was deleted, so the head is read as well.
    cost: [2, 3, 0],
    given: withoutACategory,
  },
  getPipeline: { cost: [1, 1, 0] },
  listPolicies: { cost: [1, 2, 0] },
  createPolicy: {
    // The state of the list of policies in use is read as well.
    cost: [3, 2, 9],
    body: (_, n) => ({ title: `Warranty ${n}`, content: 'A year' }),
  },
  getPolicy: { cost: [1, 1, 0] },
  updatePolicy: {
    // The policy moves from the policies in use to the others.
    cost: [3, 4, 14],
    body: (_, n) => ({ content: `${n} days before`, isActive: false }),
  },
  deletePolicy: { cost: [3, 3, 13] },
  listProducts: { cost: [1, 2, 0] },
  getProduct: { cost: [1, 1, 0] },
  createProduct: {
    // The category's lists change too, and the state of the list of products in use is read. The price has decimals, so
    // the currency is read serializably: a call and 2 units.
    cost: [4, 5, 15],
    body: (_, n) => ({ name: `Sink ${n}`, tradeCategoryId: 2, pricingType: 'FIXED', price: 90.5 }),
  },
  updateProduct: {
    cost: [2, 2, 13],
    body: (_, n) => ({ name: `Mixer tap ${n}` }),
  },
  deleteProduct: {
    // The product leaves the lists of its category, which is read and stored.
    cost: [4, 4, 23],
  },
  updateProducts: {
    cost: [2, 2, 13],
    body: ({ productId }, n) => ({ updates: [{ id: productId, name: `Basin tap ${n}` }] }),
  },
  listScenarios: { cost: [1, 2, 0] },
  getScenario: { cost: [1, 1, 0] },
  updateScenario: {
    // The scenario moves from the scenarios in use to the others.
    cost: [3, 4, 14],
    body: (_, n) => ({ response: `From ${n} dollars`, isActive: false }),
  },
  listServices: { cost: [2, 3, 0] },
  createService: {
    // The category's lists change too, and the states of two lists are read: of services and of scenarios.
    cost: [3, 4, 20],
    body: (_, n) => ({ name: `Leaking tap ${n}`, tradeCategoryId: 1 }),
  },
  getService: { cost: [2, 2, 0] },
  updateService: {
    // The scenario, which the answer has, is read serializably: 2 units.
    cost: [3, 4, 13],
    body: (_, n) => ({ name: `Clogged drain ${n}` }),
  },
  deleteService: {
    // A transfer rule names the scenario of the usual service.
    cost: [4, 6, 32],
    given: async (ledger, records) => {
      const { id: serviceId } = await createService(ledger, { name: 'Old boiler', tradeCategoryId: 1 });
      return { ...records, serviceId };
    },
  },
  sendSms: {
    // The organization's record says which number sends. The provider's id is a unique value. The lead is
    // written twice: it gets the inquiry with the message, and the activity with the outcome. A SENDING
    // message is in the index of due records: one unit to put it there, one to take it out.
    cost: [4, 10, 37],
    body: ({ userId, leadId }, n) => ({ userId, leadId, message: `On our way, ${n}` }),
  },
  listTransfers: { cost: [1, 2, 0] },
  getRoute: {
    // The organization and its time zone as of one moment, the rules, and the members.
    cost: [1, 6, 0],
    query: () => ({ topic: 'office' }),
  },
  createTransfer: {
    // The scenario owns the list of its rules.
    cost: [4, 3, 15],
    most: ({ scenarioId }) => ({ body: { ...newTransfer, label: 'Gas', scenarioId } }),
    body: (_, n) => ({ ...newTransfer, label: `Bursts ${n}` }),
  },
  getTransfer: { cost: [1, 1, 0] },
  updateTransfer: {
    cost: [2, 2, 11],
    body: (_, n) => ({ label: `Burst pipes ${n}` }),
  },
  deleteTransfer: { cost: [3, 3, 15] },
  listWebhooks: { cost: [1, 2, 0] },
  getWebhook: { cost: [1, 1, 0] },
  createWebhook: {
    // Its cursor is stored, too, and the claim of its address and types.
    cost: [2, 1, 11],
    body: (_, n) => ({ ...newWebhook, url: `${newWebhook.url}/${n}` }),
  },
  updateWebhook: {
    cost: [2, 2, 6],
    body: (_, n) => ({ description: `Number ${n}` }),
  },
  deleteWebhook: { cost: [2, 2, 10] },
  rotateWebhookSecret: { cost: [2, 2, 6] },
  testWebhook: { cost: [2, 2, 6] },
  listWebhookDeliveries: {
    // One is about a lead, so what the receiver answered is read as well.
    cost: [3, 4, 0],
  },
  redeliverWebhook: {
    // The webhook, its cursor and the delivery are read before the write.
    cost: [3, 5, 6],
  },
  replayWebhook: {
    cost: [2, 2, 6],
    body: () => ({ after: 1 }),
  },
};

const { operations } = await findContracts();
const paths = new Map(operations.map(({ operationId, endpoint }) => [operationId, endpoint.path]));

/** Completes the requests of an operation. The parameters of its path are ids of the records. */
function tested(operationId: string, { query, body, most, ...entry }: Entry): TestedOperation {
  const names = [...(paths.get(operationId) ?? '').matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  const request = (records: Records, n: number): TestedRequest => {
    const ids = Object.entries(records).filter(([name]) => names.includes(name));
    return {
      ...(names.length > 0 && { params: Object.fromEntries<string | number>(ids) }),
      ...(query && { query: query(records) }),
      ...(body && { body: body(records, n) }),
    };
  };
  return { ...entry, request, most: (records) => ({ ...request(records, 1), ...most?.(records) }) };
}

/** Entries of all operations, by operationId. Tests of costs run them in this order. */
export const everyOperation: ReadonlyMap<string, TestedOperation> = new Map(
  Object.entries(entries).map(([operationId, entry]) => [operationId, tested(operationId, entry)]),
);

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
