import * as v from 'valibot';
import { listFaqsEndpoint } from '../../contract/faqs.ts';
import { createInquiryEndpoint } from '../../contract/inquiries.ts';
import { getReceptionistEndpoint } from '../../contract/receptionist.ts';
import { getRouteEndpoint } from '../../contract/transfer-route.ts';
import { fromStranger } from '../../core/from-stranger.ts';
import { optionalText, textArgument } from './arguments.ts';
import { bookAppointment, findSlot, listServices, personArguments } from './booking-tools.ts';
import { appointmentLength, brief, cut, joined, withNames } from './texts.ts';
import { tool, type Tool } from './tool.ts';

const { business, caller } = getReceptionistEndpoint.responses[200].entries;

const whoCalls = tool({
  name: 'who_calls',
  title: 'Who calls',
  description:
    'Tells whether the business is open, the local time, and who has a phone number: name, leadId, last inquiries, next appointments. Call it first.',
  args: { phone: optionalText("The caller's number in any form; leave it out if it is hidden") },
  endpoint: getReceptionistEndpoint,
  request: ({ phone }) => ({ query: { phone } }),
  answer: v.object({ business, caller }),
  text: ({ business: { name, phone, localTime, hours }, caller: known }, _, at) =>
    [
      joined(name, phone, localTime),
      hours.say,
      ...(known === null
        ? ['The caller is not known']
        : [
            joined(
              fromStranger(`${known.firstName} ${known.lastName}`),
              known.leadId,
              known.phone,
              known.email,
              known.suburb,
              known.businessName,
              known.status,
            ),
            ...known.lastInquiries.map(({ source, summary, createdAt }) =>
              brief(`Asked ${at(createdAt)} by ${source}: ${summary}`),
            ),
            ...known.nextAppointments.map(({ appointmentId, title, start, attendeeNames }) =>
              brief(
                joined(`Booked ${at(start)}`, appointmentId, title, withNames(attendeeNames)),
                appointmentLength,
              ),
            ),
          ]),
    ].join('\n'),
});

const findRoute = tool({
  name: 'find_route',
  title: 'Find who takes a call',
  description:
    'Finds whom to put a call through to, and whether somebody answers there now. If not, take_message.',
  args: { topic: optionalText("The subject, in the caller's words") },
  endpoint: getRouteEndpoint,
  request: ({ topic }) => ({ query: { topic, format: 'say' } }),
  answer: getRouteEndpoint.said.schema,
  text: ({ say, number, transferId }) =>
    joined(say, number && `number ${number}`, transferId !== null && `transferId ${transferId}`),
});

const answerQuestion = tool({
  name: 'answer_question',
  title: 'Answer a question',
  description: 'Finds what the business answers to a question. Do not answer from any other source.',
  args: { question: textArgument("The question in the caller's words") },
  endpoint: listFaqsEndpoint,
  request: ({ question }) => ({ query: { q: question, format: 'say' } }),
  argumentOf: { q: 'question' },
  answer: listFaqsEndpoint.said.schema,
  text: ({ say, faqs }) =>
    [
      cut(say, 1000),
      ...faqs.slice(1).map(({ question, answer }) => cut(`Also: ${question} ${answer}`, 400)),
    ].join('\n'),
});

const takeMessage = tool({
  name: 'take_message',
  title: 'Take a message',
  description: 'Leaves a message for the team, once the caller has confirmed it.',
  args: {
    message: textArgument('In a sentence or two'),
    leadId: optionalText('Who it is from, if known; else at least a name, phone or email'),
    ...personArguments,
  },
  endpoint: createInquiryEndpoint,
  request: ({ message, leadId, ...person }) => ({
    query: { format: 'say' },
    body: {
      source: 'CALL' as const,
      tag: 'Message',
      summary: message,
      data: {},
      ...(leadId === undefined ? { lead: person } : { leadId }),
    },
  }),
  argumentOf: { summary: 'message', lead: 'The person' },
  answer: createInquiryEndpoint.said.schema,
  text: ({ say, inquiryId, leadId }) => joined(say, inquiryId, leadId),
});

/** Tools of somebody who answers the telephone. */
export const receptionistTools: readonly Tool[] = [
  whoCalls,
  answerQuestion,
  listServices,
  findSlot,
  bookAppointment,
  findRoute,
  takeMessage,
];
