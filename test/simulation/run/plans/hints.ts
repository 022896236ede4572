import type { Hint } from '../plan.ts';
import { keyScopes } from '../../../../shared/contract/scopes.ts';
import { someNumber, type Planner } from '../planner.ts';
import type { Fields } from '../same.ts';
import { bookings } from './appointments.ts';
import { inquiries } from './inquiries.ts';
import { someLeads } from './lead-batch.ts';
import { leads } from './leads.ts';

/** Hours of the days on which all appointments are. */
const someHours = ({ draw }: Planner) => [
  { from: draw.pick(['07:00', '09:00']), to: draw.pick(['12:00', '15:30']) },
];

/** Times of a service that leave room between appointments, or none. */
const someService = ({ draw }: Planner): Fields => ({
  leastNotice: 0,
  ...draw.pick<Fields>([
    { duration: 60, durationUnit: 'MINUTES' },
    { duration: 45, durationUnit: 'MINUTES', bufferBefore: 15, bufferAfter: 60 },
    { duration: 2, durationUnit: 'HOURS', teamAssignmentMethod: 'ROUND_ROBIN' },
    { duration: 2, durationUnit: 'DAYS', bufferAfter: 1440 },
  ]),
});

const someWebhook = ({ draw }: Planner): Fields => ({
  url: `https://receiver-${draw.whole(1, 3)}.example.com/hooks`,
  types: draw.pick([['*'], ['lead.*'], ['lead.created', 'inquiry.*'], ['faq.*', 'other']]),
});

/** Fields of bodies on which dense plans depend and that no example has: by operation. */
const bodies: Readonly<Record<string, (planner: Planner) => Fields>> = {
  createLeads: (planner) => ({ leads: someLeads(planner) }),
  createService: someService,
  updateService: (planner) => (planner.draw.happens(0.2) ? someService(planner) : {}),
  updateMemberSchedule: (planner) => {
    const { draw } = planner;
    const from = `2026-01-0${draw.whole(6, 9)}`;
    return {
      ...(draw.happens(0.5) && {
        workingHours: draw.pick([{}, { wednesday: someHours(planner), thursday: someHours(planner) }]),
      }),
      ...(draw.happens(0.3) && {
        daysOff: draw.pick([[], [{ from }], [{ from, to: '2026-01-09', reason: 'Away' }]]),
      }),
    };
  },
  updateMember: ({ draw }) => ({
    ...(draw.happens(0.5) && { role: draw.pick(['USER', 'ADMIN', 'OWNER']) }),
    ...(draw.happens(0.2) && { isDisabled: draw.happens(0.3) }),
  }),
  updateOrganization: ({ draw }) => ({
    ...(draw.happens(0.4) && {
      timeZone: draw.pick(['Australia/Sydney', 'Pacific/Honolulu', 'Europe/London']),
    }),
    ...(draw.happens(0.1) && { areasServed: draw.pick([[], ['Glebe', '2040']]) }),
  }),
  createWebhook: someWebhook,
  updateWebhook: (planner) =>
    planner.draw.pick<Fields>([
      {},
      someWebhook(planner),
      { isEnabled: true },
      { isEnabled: planner.draw.happens(0.5) },
    ]),
  replayWebhook: ({ draw, organization }) => ({ after: draw.whole(0, organization.version + 2) }),
};

/** Number of a record that no client or platform of the simulation needs: not one of the first. */
const beyond = (first: number, collection: string): Hint => ({
  number: (planner) => Math.max(first + 1, someNumber(planner, collection)),
});

/** Hint for operations that end a token: the first tokens are those of the clients and of the platforms. */
export const laterToken = beyond(1 + keyScopes.length, 'TOKEN');

/** Hints for the generic plan, by operation. */
export const hints: Readonly<Record<string, Hint>> = {
  ...Object.fromEntries(Object.entries(bodies).map(([operation, body]) => [operation, { body }])),
  deleteAccessToken: laterToken,
  deleteMember: beyond(1, 'MEMBER'),
  ...bookings,
  ...inquiries,
  ...leads,
};

/** Weights of operations that are more frequent than others of their method. */
export const frequent: Readonly<Record<string, number>> = {
  createLead: 10,
  updateLead: 9,
  upsertLead: 9,
  deleteLead: 4,
  getLead: 5,
  listLeads: 8,
  createInquiry: 10,
  updateInquiry: 7,
  getInquiry: 5,
  listInquiries: 10,
  deleteFaq: 2,
  deleteWebhook: 1,
};

/** Paths of the operations that are rarer than others, because all that happens is then sent to receivers. */
export const costly = /^\/v1\/webhooks/;
