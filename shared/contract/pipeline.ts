import * as v from 'valibot';
import { endpoint } from './endpoint.ts';
import { count } from './fields.ts';
import type { LeadStatus } from './leads.ts';
import type { Descriptions } from './descriptions.ts';

export const tagDescription = 'The pipeline: how many leads there are, came in and moved';

/** A number for each status that a lead can have. */
export const StatusCounts = v.strictObject({
  pending: count,
  active: count,
  quoted: count,
  won: count,
  lost: count,
  archived: count,
} satisfies Record<LeadStatus, typeof count>);
export type StatusCounts = v.InferOutput<typeof StatusCounts>;

const calendarDate = v.pipe(v.string(), v.isoDate(), v.metadata({ format: 'date' }));

/** Counts of one day: docs/reference/leads.md, Pipeline. */
export const PipelineDay = v.strictObject({
  date: calendarDate,
  created: count,
  moved: StatusCounts,
});
export type PipelineDay = v.InferOutput<typeof PipelineDay>;

export const Pipeline = v.strictObject({
  statuses: StatusCounts,
  total: count,
  days: v.array(PipelineDay),
});
export type Pipeline = v.InferOutput<typeof Pipeline>;

export const descriptions = {
  StatusCounts: {
    is: 'A number of leads for each status',
    fields: {
      pending: 'How many leads are pending, or became pending',
      active: 'How many leads are active, or became active',
      quoted: 'How many leads are quoted, or became quoted',
      won: 'How many leads are won, or became won',
      lost: 'How many leads are lost, or became lost',
      archived: 'How many leads are archived, or became archived',
    },
  },
  PipelineDay: {
    is: 'The changes of leads on one day',
    fields: {
      date: "The date, in the organization's time zone",
      created: 'How many leads were created, whatever their status, including leads that are deleted now',
      moved: 'How many times a lead got another status than it had, by the new status',
    },
  },
  Pipeline: {
    is: 'Where the leads are, and how they got there',
    fields: {
      statuses: 'How many leads are in each status now',
      total: 'How many leads there are in all statuses',
      days: 'The last 31 days, each of them, today first; the example is shortened',
    },
  },
} satisfies Descriptions;

const none = { pending: 0, active: 0, quoted: 0, won: 0, lost: 0, archived: 0 };
export const getPipelineEndpoint = endpoint({
  method: 'GET',
  path: '/v1/pipeline',
  scope: 'leads:read',
  access: 'get',
  summary: 'Count leads by status, and how many came in and moved per day',
  description:
    "Days begin and end in the organization's time zone. Days that were counted in another time zone do not change. A day " +
    'counts its events. A lead that is created with a status has not moved. A lead that moves back has moved again. A deleted ' +
    'lead stays counted.',
  params: {},
  responses: { 200: Pipeline },
  errors: [],
  extension: true,
  example: {
    response: {
      statuses: { ...none, pending: 2, active: 1 },
      total: 3,
      // Shortened: there are 31 days.
      days: [
        { date: '2026-11-02', created: 1, moved: { ...none, active: 1 } },
        { date: '2026-11-01', created: 2, moved: none },
      ],
    },
  },
});
