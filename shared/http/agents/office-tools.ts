import * as v from 'valibot';
import {
  cancelAppointmentEndpoint,
  listAppointmentsEndpoint,
  updateAppointmentEndpoint,
} from '../../contract/appointments.ts';
import { listCompaniesEndpoint } from '../../contract/companies.ts';
import { createCompanyNoteEndpoint } from '../../contract/company-notes.ts';
import {
  getInquiryEndpoint,
  listInquiriesEndpoint,
  updateInquiryEndpoint,
  inquirySources,
} from '../../contract/inquiries.ts';
import {
  createLeadEndpoint,
  getLeadEndpoint,
  Lead,
  leadStatuses,
  listLeadActivitiesEndpoint,
  listLeadsEndpoint,
  updateLeadEndpoint,
} from '../../contract/leads.ts';
import { getOrganizationHoursEndpoint } from '../../contract/opening-hours.ts';
import { listMembersEndpoint } from '../../contract/organization.ts';
import { getPipelineEndpoint } from '../../contract/pipeline.ts';
import { sendSmsEndpoint } from '../../contract/sms.ts';
import { fromStranger } from '../../core/from-stranger.ts';
import { foldedWords, searchProblem } from '../../core/search-terms.ts';
import { idArgument, numberArgument, optionalText, pageArgument, textArgument } from './arguments.ts';
import { bookAppointment, findSlot, listServices, personArguments } from './booking-tools.ts';
import { localTextIn } from './local-text.ts';
import { inquiryText } from './inquiry-text.ts';
import {
  appointmentLength,
  brief,
  joined,
  joinedLines,
  pageFields,
  pageSize,
  pageText,
  partText,
  withNames,
} from './texts.ts';
import type { Send } from './sending.ts';
import { targetOf, tool, type Tool } from './tool.ts';

const leadId = idArgument('lead_…');
const inquiryId = idArgument('inquiry_…');
const appointmentId = idArgument('appointment_…');
const status = v.optional(v.picklist(leadStatuses));

const nameOf = ({ firstName, lastName }: { firstName: string; lastName: string }) =>
  `${firstName} ${lastName}`.trim();

const unreadOf = (lead: Lead) =>
  lead.unreadEmails +
  lead.unreadCalls +
  lead.unreadChatbotThreads +
  lead.unreadSMS +
  lead.unreadWebformSubmissions;

const leadLine = (lead: Lead) => {
  const unread = unreadOf(lead);
  return joined(
    lead.id,
    fromStranger(nameOf(lead)),
    lead.status,
    lead.phone,
    fromStranger(lead.email),
    fromStranger(lead.suburb),
    unread > 0 && `${unread} unread`,
    lead.hasFlaggedInquiry && 'flagged',
    lead.isOptedOut && 'wants no SMS',
  );
};

const findLeads = tool({
  name: 'find_leads',
  title: 'Find leads',
  description: 'Lists leads, newest first. Give at most one: query, email, phone or status.',
  args: {
    query: optionalText('Words of a name or business, an email or a phone number; a beginning is enough'),
    email: v.optional(v.string()),
    phone: v.optional(v.string()),
    status,
    page: pageArgument,
  },
  endpoint: listLeadsEndpoint,
  request: ({ query, ...rest }) => ({ query: { ...rest, q: query, limit: pageSize } }),
  argumentOf: { q: 'query' },
  answer: listLeadsEndpoint.responses[200],
  text: (page) =>
    joinedLines(
      pageText('Leads', page.leads.map(leadLine), page),
      page.hasMore && 'More leads match: give more of the name',
    ),
});

const readLead = tool({
  name: 'read_lead',
  title: 'Read a lead',
  description:
    'Contact, address and status of a lead. list_inquiries and list_activities tell what happened.',
  args: { leadId },
  endpoint: getLeadEndpoint,
  request: (params) => ({ params }),
  answer: getLeadEndpoint.responses[200],
  text: ({ lead }, _, at) => {
    const { line1, suburb, state, postcode, access } = lead.address;
    return [
      leadLine(lead),
      fromStranger(lead.businessName),
      fromStranger(joined(line1, suburb, state, postcode, access && `access: ${access}`)),
      `created ${at(lead.createdAt)}`,
      lead.lastInquiryId === null || lead.lastInquiryDate === null
        ? 'no inquiry'
        : `last inquiry ${lead.lastInquiryId}, ${at(lead.lastInquiryDate)}`,
    ]
      .filter((line) => line !== '')
      .join('\n');
  },
});

/** Answer of a change of a lead: a token that may not read leads gets the id alone. */
const ChangedLead = v.object({ lead: v.object({ id: v.string(), status: v.optional(v.string()) }) });

/** Words of a name, in any order. */
const sameName = (name: string): string => foldedWords(name).sort().join(' ');

/** Names the leads that have the same name. A token that may not read leads gets none. */
async function namesakes(
  { name, isAnotherPerson }: { name: string; isAnotherPerson?: boolean | undefined },
  send: Send,
) {
  if (isAnotherPerson || searchProblem(name) !== undefined) return undefined;
  const target = targetOf(listLeadsEndpoint.path, {}, { q: name, limit: 5 });
  const { body } = await send({ method: 'GET', target, body: undefined, key: undefined });
  const found = v.safeParse(listLeadsEndpoint.responses[200], body);
  const same = found.success
    ? found.output.leads.filter((lead) => sameName(nameOf(lead)) === sameName(name))
    : [];
  if (same.length === 0) return undefined;
  return [
    'Nothing was created: a lead has this name.',
    ...same.map(leadLine),
    'If it is the same person, use that lead. If not, call create_lead again with isAnotherPerson: true.',
  ].join('\n');
}

const createLead = tool({
  name: 'create_lead',
  title: 'Create a lead',
  description:
    'Adds a person who may become a customer. If a lead has the same name, the tool names that lead first.',
  args: {
    ...personArguments,
    name: textArgument('Whole name'),
    status,
    isAnotherPerson: v.optional(
      v.pipe(v.boolean(), v.description('True if the lead with this name is somebody else')),
    ),
  },
  endpoint: createLeadEndpoint,
  before: namesakes,
  request: ({ isAnotherPerson, ...body }) => ({ body }),
  answer: ChangedLead,
  text: ({ lead }) => `Created ${joined(lead.id, lead.status)}`,
});

const updateLead = tool({
  name: 'update_lead',
  title: 'Move or correct a lead',
  description: 'Moves a lead to a status, or changes its contact. Fields that are left out stay unchanged.',
  args: { leadId, status, ...personArguments },
  endpoint: updateLeadEndpoint,
  request: ({ leadId: id, ...body }) => ({ params: { leadId: id }, body }),
  answer: ChangedLead,
  text: ({ lead }) => `Changed ${joined(lead.id, lead.status)}`,
  isDestructive: true,
});

const optOut = tool({
  name: 'opt_out',
  title: 'Note that a lead wants no SMS',
  description:
    'If a lead says in any way that it wants no texts. No SMS goes to its number then, until the number itself sends START.',
  args: { leadId },
  endpoint: updateLeadEndpoint,
  request: (params) => ({ params, body: { isOptedOut: true } }),
  answer: ChangedLead,
  text: ({ lead }) => `${lead.id} gets no more SMS`,
  isDestructive: true,
});

const listActivities = tool({
  name: 'list_activities',
  title: 'List what happened to a lead',
  description: 'Who did what to a lead, and when, newest first.',
  args: { leadId, page: pageArgument },
  endpoint: listLeadActivitiesEndpoint,
  request: ({ leadId: id, page }) => ({ params: { leadId: id }, query: { page, limit: pageSize } }),
  answer: listLeadActivitiesEndpoint.responses[200],
  text: (page, _, at) =>
    pageText(
      'Activities',
      page.activities.map(({ createdAt, data, referenceId }) => joined(referenceId, at(createdAt), data)),
      page,
    ),
});

const listInquiries = tool({
  name: 'list_inquiries',
  title: 'List inquiries',
  description:
    'Lists calls, emails, chats, SMS and web forms, newest first: of a lead, of a source, or of everyone. isUnread: true, or tag, without the others.',
  args: {
    leadId: v.optional(leadId),
    source: v.optional(v.picklist(inquirySources)),
    isUnread: v.optional(v.boolean()),
    tag: v.optional(v.string()),
    page: pageArgument,
  },
  endpoint: listInquiriesEndpoint,
  request: ({ isUnread, ...rest }) => ({
    query: { ...rest, isRead: isUnread ? 'false' : undefined, expand: 'lead', limit: pageSize },
  }),
  argumentOf: { isRead: 'isUnread' },
  answer: v.object({
    ...pageFields,
    inquiries: v.array(
      v.object({
        ...v.pick(listInquiriesEndpoint.responses[200].entries.inquiries.item, [
          'id',
          'source',
          'tag',
          'summary',
          'isRead',
          'isFlagged',
          'leadId',
          'createdAt',
        ]).entries,
        lead: v.nullish(
          v.object({ firstName: v.optional(v.string(), ''), lastName: v.optional(v.string(), '') }),
        ),
      }),
    ),
  }),
  text: (page, _, at) =>
    pageText(
      'Inquiries',
      page.inquiries.map((inquiry) =>
        joined(
          inquiry.id,
          inquiry.leadId,
          inquiry.source,
          at(inquiry.createdAt),
          inquiry.lead && fromStranger(nameOf(inquiry.lead)),
          !inquiry.isRead && 'unread',
          inquiry.isFlagged && 'flagged',
          fromStranger(inquiry.tag),
          fromStranger(inquiry.summary),
        ),
      ),
      page,
    ),
});

const readInquiry = tool({
  name: 'read_inquiry',
  title: 'Read an inquiry',
  description: 'Summary and content of an inquiry: its transcript or its messages.',
  args: { inquiryId, from: v.optional(numberArgument('Character to go on from')) },
  endpoint: getInquiryEndpoint,
  request: ({ inquiryId: id }) => ({ params: { inquiryId: id } }),
  answer: getInquiryEndpoint.responses[200],
  text: (inquiry, { from = 0 }, at) => partText(inquiryText(inquiry, at), from),
});

const updateInquiry = tool({
  name: 'update_inquiry',
  title: 'Mark or summarize an inquiry',
  description:
    'Marks an inquiry as read or flagged, or gives it a tag or a summary. Fields that are left out stay unchanged.',
  args: {
    inquiryId,
    isRead: v.optional(v.boolean()),
    isFlagged: v.optional(v.boolean()),
    tag: optionalText('The subject in a word or two; no names'),
    summary: v.optional(v.string()),
  },
  endpoint: updateInquiryEndpoint,
  request: ({ inquiryId: id, ...body }) => ({ params: { inquiryId: id }, body }),
  answer: v.object({ id: v.string() }),
  text: ({ id }) => `Changed ${id}`,
  isDestructive: true,
});

const sendText = tool({
  name: 'send_text',
  title: 'Send an SMS',
  description: 'Sends an SMS to a lead, in the name of the token’s user. A sent SMS cannot be taken back.',
  args: { leadId: textArgument('lead_…'), message: textArgument('At most 1,600 characters') },
  endpoint: sendSmsEndpoint,
  request: (body) => ({ body }),
  answer: sendSmsEndpoint.responses[201],
  text: ({ inquiryId: id }) => `The SMS was sent. ${id} shows its thread, and whether it was delivered.`,
});

const listCompanies = tool({
  name: 'list_companies',
  title: 'List companies',
  description: 'Lists companies that the business works with, newest first.',
  args: { page: pageArgument },
  endpoint: listCompaniesEndpoint,
  request: ({ page }) => ({ query: { page, limit: pageSize } }),
  answer: listCompaniesEndpoint.responses[200],
  text: (page) =>
    pageText(
      'Companies',
      page.companies.map(({ id, name }) => joined(id, name)),
      page,
    ),
});

const addNote = tool({
  name: 'add_note',
  title: 'Note something about a company',
  description: 'Writes a note about a company, for the team.',
  args: { companyId: idArgument('company_…'), note: v.string() },
  endpoint: createCompanyNoteEndpoint,
  request: ({ companyId, note }) => ({ params: { companyId }, body: { value: note } }),
  argumentOf: { value: 'note' },
  answer: v.object({ note: v.object({ id: v.number() }) }),
  text: ({ note }) => `Noted: note ${note.id}`,
});

const listAppointments = tool({
  name: 'list_appointments',
  title: 'List appointments',
  description:
    'Lists who is booked when and with whom, in local time: of a lead, of a user, or all, newest first; or of some days, the earliest first.',
  args: {
    leadId: v.optional(leadId),
    userId: v.optional(v.string()),
    from: optionalText('Local date, with to'),
    to: optionalText('Local date, included'),
    page: pageArgument,
  },
  endpoint: listAppointmentsEndpoint,
  // The appointments of a range come all at once.
  request: ({ page, ...query }) => ({
    query: { ...query, ...(query.from === undefined && { page }), limit: pageSize, expand: 'names' },
  }),
  answer: listAppointmentsEndpoint.responses[200],
  text: ({ appointments, currentPage, totalCount }, { from, page: wanted = 1 }, at) => {
    const first = from === undefined ? 0 : (wanted - 1) * pageSize;
    const lines = appointments
      .slice(first, first + pageSize)
      .map(({ id, leadId: lead, attendees, attendeeNames = [], status: state, ...shown }) =>
        joined(
          id,
          lead,
          ...attendees,
          state,
          `${at(shown.start)} to ${at(shown.end)}`,
          brief(fromStranger(shown.leadName ?? ''), 80),
          shown.givenName !== '' && `given as ${brief(fromStranger(shown.givenName), 80)}`,
          withNames(attendeeNames.filter((name) => name !== '')),
          brief(fromStranger(shown.title), 80),
        ),
      );
    const shown = { currentPage: from === undefined ? currentPage : wanted, totalCount };
    return pageText('Appointments', lines, shown, { length: appointmentLength });
  },
});

const moveAppointment = tool({
  name: 'move_appointment',
  title: 'Move an appointment',
  description:
    'Moves an appointment to a time of find_slot. A time that is not offered is refused with the reason, and with times that are.',
  args: {
    appointmentId,
    start: textArgument('From find_slot, without the weekday'),
    userId: optionalText('From find_slot, if another attends'),
  },
  endpoint: updateAppointmentEndpoint,
  request: ({ appointmentId: id, start, userId }) => ({
    params: { appointmentId: id },
    body: { start, ...(userId !== undefined && { attendees: [userId] }), ifOffered: true },
  }),
  argumentOf: { attendees: 'userId', 'attendees.0': 'userId' },
  answer: v.object({ appointment: v.object({ id: v.string(), start: v.optional(v.string()) }) }),
  text: ({ appointment: { id, start } }, _, at) => `Moved ${joined(id, start && at(start))}`,
  isDestructive: true,
});

const cancelAppointment = tool({
  name: 'cancel_appointment',
  title: 'Cancel an appointment',
  description: 'Cancels an appointment for good; its time is free again. Tell the lead yourself.',
  args: { appointmentId },
  endpoint: cancelAppointmentEndpoint,
  request: (params) => ({ params }),
  answer: v.object({ appointment: v.object({ id: v.string() }) }),
  text: ({ appointment }) => `Cancelled ${appointment.id}`,
  isDestructive: true,
});

const reportPipeline = tool({
  name: 'report_pipeline',
  title: 'Report on the pipeline',
  description:
    'Tells how many leads are in each status now, and how many came in and moved on the last days.',
  args: {
    days: v.optional(
      v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(31), v.description('7 if left out')),
    ),
  },
  endpoint: getPipelineEndpoint,
  request: () => ({}),
  answer: getPipelineEndpoint.responses[200],
  text: ({ statuses, total, days }, { days: count = 7 }) => {
    const counts = (of: Record<string, number>, word = '') =>
      Object.entries(of)
        .filter(([, number]) => number > 0)
        .map(([name, number]) => `${number} ${word}${name}`)
        .join(', ');
    return [
      joined(`${total} ${total === 1 ? 'lead' : 'leads'}`, counts(statuses)),
      ...days
        .slice(0, count)
        .map(({ date, created, moved }) => joined(`${date}: ${created} new`, counts(moved, 'moved to '))),
    ].join('\n');
  },
});

const readHours = tool({
  name: 'read_hours',
  title: 'Read the time and the hours',
  description:
    'Tells the time now, the time zone of the business, and whether it is open. Days such as Tuesday are days there.',
  args: {},
  endpoint: getOrganizationHoursEndpoint,
  request: () => ({}),
  answer: getOrganizationHoursEndpoint.responses[200],
  text: ({ say, at, timeZone, holiday }) =>
    joined(`${say}. It is ${localTextIn(timeZone)(at)}`, timeZone, holiday),
});

const listMembers = tool({
  name: 'list_members',
  title: 'List members',
  description: 'Lists the people who work for the business. Appointments name them by userId.',
  args: { page: pageArgument },
  endpoint: listMembersEndpoint,
  request: ({ page }) => ({ query: { page, limit: pageSize } }),
  answer: listMembersEndpoint.responses[200],
  text: (page) =>
    pageText(
      'Members',
      page.members.map((member) => joined(member.user.id, nameOf(member), member.position)),
      page,
    ),
});

/** Tools of somebody who works on leads. */
export const officeTools: readonly Tool[] = [
  findLeads,
  readLead,
  createLead,
  updateLead,
  optOut,
  listActivities,
  listInquiries,
  readInquiry,
  updateInquiry,
  sendText,
  listCompanies,
  addNote,
  listServices,
  findSlot,
  bookAppointment,
  listAppointments,
  moveAppointment,
  cancelAppointment,
  listMembers,
  readHours,
  reportPipeline,
];
