import * as v from 'valibot';
import { endpoint } from './endpoint.ts';
import { recordNumber, text, timestamp } from './fields.ts';
import { HoursQuery } from './opening-hours.ts';
import { SaidQuery } from './said.ts';
import { DestinationType, TransferMethod } from './transfers.ts';
import type { Descriptions } from './descriptions.ts';

/** Folder of the functions that serve these endpoints. */
export const subject = 'transfers';

/** A transfer rule, and whether its destination can be reached: docs/reference/calls.md, Route of a call. */
export const Route = v.strictObject({
  transferId: recordNumber,
  label: v.string(),
  conditions: v.string(),
  method: TransferMethod,
  destinationType: DestinationType,
  destination: v.string(),
  destinationName: v.string(),
  number: v.string(),
  isReachable: v.boolean(),
  reachableFrom: v.nullable(timestamp),
});
export type Route = v.InferOutput<typeof Route>;

export const RouteQuery = v.object({
  ...HoursQuery.entries,
  topic: v.optional(text(500)),
  ...SaidQuery.entries,
});

/** The route of a call, and the sentence for the caller. */
export const FoundRoute = v.strictObject({ say: v.string(), route: v.nullable(Route) });
export type FoundRoute = v.InferOutput<typeof FoundRoute>;

/** The route of a call, to be read out. */
export const SaidRoute = v.strictObject({
  say: v.string(),
  isReachable: v.boolean(),
  transferId: v.nullable(recordNumber),
  number: v.string(),
});
export type SaidRoute = v.InferOutput<typeof SaidRoute>;

export const descriptions = {
  Route: {
    is: 'A transfer rule, and whether somebody answers at its destination',
    like: 'Transfer',
    fields: {
      transferId: 'The transfer rule',
      destinationName:
        'The destination to be read out: the department, or the name of the member; empty for a phone number',
      number:
        'The number to dial in E.164: the destination, or the `phone` of the member, whether the token allows `members:read` or ' +
        'not; empty if there is none, as for a department: then the call cannot be put through',
      isReachable:
        'Whether the destination can be reached then: while the organization is open, or at all times with ' +
        '`ignore_business_hours`. A member can be reached only within the working hours, on no day off, and not disabled',
      reachableFrom: 'When it can be reached next, if not then; null when it can, or cannot within a year',
    },
  },
  RouteQuery: {
    is: 'Which call to find a route for',
    like: 'HoursQuery',
    fields: {
      topic: 'The subject of the call, in the words of the caller; any subject when not given, or empty',
      format: '`say` for a small answer with a sentence to be read out; the whole one when not given',
    },
  },
  FoundRoute: {
    is: 'The route of a call',
    fields: {
      say: 'A sentence for the caller: the call can be put through, or when it can be, and a message can be taken',
      route: 'The rule that counts; null when no rule that is in use fits the topic',
    },
  },
  SaidRoute: {
    is: 'The route of a call, to be read out',
    like: 'Route',
    fields: {
      say: 'The sentence for the caller, as in the whole answer',
      isReachable: 'Whether the call can be put through now: somebody can be reached, and there is a number',
      transferId: 'The transfer rule; null when no rule that is in use fits the topic',
    },
  },
} satisfies Descriptions;

export const getRouteEndpoint = endpoint({
  method: 'GET',
  path: '/v1/transfers/route',
  scope: 'transfers:read',
  access: 'readPage',
  summary: 'Find the transfer rule for a call',
  description:
    'The rules in use whose label, name, destination and conditions have most words of the topic. Without a topic, all rules ' +
    'in use. If a rule with a number to dial has a word of the topic, only such rules count. Of these the first that can be ' +
    'reached, else the first. `say` promises to put the call through only with a number.',
  params: {},
  query: RouteQuery,
  responses: { 200: FoundRoute },
  said: {
    schema: SaidRoute,
    example: {
      say: 'I can put you through to Mia Tran now.',
      isReachable: true,
      transferId: 1,
      number: '+61491570159',
    },
  },
  errors: [],
  extension: true,
  example: {
    query: { topic: 'a burst pipe', at: '2026-11-27T22:30:00+11:00' },
    response: {
      say: 'I can put you through to Mia Tran now.',
      route: {
        transferId: 1,
        label: 'Burst pipes',
        conditions: 'Water is running and cannot be turned off',
        method: 'WARM',
        destinationType: 'MEMBER',
        destination: '2',
        destinationName: 'Mia Tran',
        number: '+61491570159',
        isReachable: true,
        reachableFrom: null,
      },
    },
  },
});
