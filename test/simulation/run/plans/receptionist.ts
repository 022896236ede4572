import { platforms, type Platform } from '../../../../shared/contract/call-events.ts';
import type { Transfer } from '../../../../shared/contract/transfers.ts';
import { fromStranger } from '../../../../shared/core/from-stranger.ts';
import { localTimeIn } from '../../../../shared/core/local-time.ts';
import { timeLimits } from '../../../../shared/core/waits.ts';
import { say } from '../../../../shared/domain/calendar/say.ts';
import { openStateAt } from '../../../../shared/domain/organizations/opening-hours.ts';
import { routeOf } from '../../../../shared/domain/receptionist/route.ts';
import type { Window } from '../model/window.ts';
import type { Plan, WeightedPlan } from '../plan.ts';
import type { Planner } from '../planner.ts';
import { same, type Fields } from '../same.ts';
import { checkOneOf, Violation } from '../violation.ts';
import { distinct } from './availability.ts';
import { callersIn, numberIn, someCallingNumber, timesOf, type Times } from './callers.ts';
import { someKey, someSignature } from './keys.ts';
import { statesIn } from './organization.ts';
import { promptsSince } from './prompts.ts';

const minute = 60_000;

/** Number that is called, in one of the ways that it is written. */
const someCalledNumber = ({ draw }: Planner): string =>
  draw.pick(['', '+61491500001', ' 61491500001', '0491500001', 'extension 12']);

/**
 * Prompts that the configuration gave at some time in the window, by the head, which tells whether a prompt is current; undefined if
 * they are too many.
 */
const promptsIn = ({ organization, version }: Window) => promptsSince(organization, version);

/** The business as it is at a time, by the service's own sentences, which have tests of their own. */
const businessAt = (state: Fields, at: number): Fields => ({
  ...{ name: state['name'], phone: state['businessPhone'] },
  localTime: say(localTimeIn(String(state['timeZone']), at)),
  hours: openStateAt(state as unknown as Parameters<typeof openStateAt>[0], at),
});

/**
 * Routes by each transfer rule in use, as they were in the window; undefined among them for a rule that was not in use or not there
 * at some time.
 */
function routesIn(window: Window, state: Fields, at: number): (Fields | undefined)[][] {
  const { organization } = window;
  const hours = state as unknown as Parameters<typeof routeOf>[2];
  return Array.from({ length: organization.lastOf('TRANSFER') }, (_, number) =>
    distinct(
      window.records('TRANSFER', number + 1).flatMap((rule): (Fields | undefined)[] => {
        if (rule?.['isEnabled'] !== true) return [undefined];
        const member = rule['destinationType'] === 'MEMBER' ? Number(rule['destination']) : 0;
        return distinct(window.records('MEMBER', member)).map((one) => {
          const members = new Map(one ? [[member, one]] : []) as unknown as Parameters<typeof routeOf>[1];
          return { ...routeOf(rule as unknown as Transfer, members, hours, at) };
        });
      }),
    ),
  );
}

/** True if items are one of each of these values, in order; a value that is undefined is not there. */
function areInOrder(items: readonly unknown[], values: readonly (readonly unknown[])[]): boolean {
  let places = new Set([0]);
  for (const some of values)
    places = new Set(
      [...places].flatMap((place) =>
        some.flatMap((one) =>
          one === undefined ? [place] : place < items.length && same(one, items[place]) ? [place + 1] : [],
        ),
      ),
    );
  return places.has(items.length);
}

/** Reads what somebody needs who answers the telephone. */
export function getReceptionist(planner: Planner): Plan {
  const { draw, organization } = planner;
  const [phone, number] = [someCallingNumber(planner), someCalledNumber(planner)];
  const isText = draw.happens(0.2);
  const query = {
    ...(phone !== '' && { phone }),
    ...(number !== '' && { number }),
    ...(isText && { format: 'text' }),
  };
  return {
    operation: `getReceptionist${isText ? ' text' : ''}`,
    organization,
    call: { endpoint: 'getReceptionist', query },
    check: (body, window) => {
      const prompts = promptsIn(window);
      const rule = 'A prompt must be made of a state of the configuration in the window';
      if (isText) {
        if (prompts)
          checkOneOf(
            rule,
            prompts.map(({ prompt }) => prompt),
            body,
          );
        return;
      }
      const { business, caller, routes, ...knowledge } = body as Fields & {
        business: Fields & { hours: { at: string; timeZone: string } };
        routes: Fields[];
      };
      if (prompts) checkOneOf(rule, prompts, knowledge);
      const times = timesOf(window);
      checkBusiness(window, times, { business, routes, number });
      const callers = callersIn(window, phone, times);
      if (!callers) return;
      const expected = callers.known.map((one) => ({
        ...one,
        nextAppointments: (one['nextAppointments'] as Fields[]).map((appointment) => ({
          ...appointment,
          say: say(localTimeIn(business.hours.timeZone, Date.parse(String(appointment['start'])))),
        })),
      }));
      const possible = [...(callers.isUnknown ? [null] : []), ...expected];
      checkOneOf('A caller must be as it was at some time in the window', possible, caller);
    },
  };
}

interface ShownBusiness {
  business: Fields & { hours: { at: string } };
  routes: Fields[];
  number: string;
}

/** Checks the business and its transfer rules: the settings are of one version. @throws Violation */
function checkBusiness(
  window: Window,
  { from, to }: Times,
  { business, routes, number }: ShownBusiness,
): void {
  const at = Date.parse(business.hours.at);
  if (!(at >= from && at <= to))
    throw new Violation('The time must be that of the request', { from, to }, business.hours.at);
  const calledNumber = numberIn(number, window.organization.country) || fromStranger(number);
  const states = statesIn(window).map((state) => ({ ...businessAt(state, at), calledNumber, state }));
  const fitting = states.filter(({ state, ...expected }) => same(expected, business));
  if (fitting.length === 0)
    throw new Violation('A business must be as it was at some time in the window', states, business);
  const ways = fitting.map(({ state }) => routesIn(window, state, at));
  if (!ways.some((values) => areInOrder(routes, values)))
    throw new Violation('Routes must be those of the transfer rules in use', ways, routes);
}

/** Request of each platform for a call that rings, and the variables in the answer to it. */
const forms: Record<
  Platform,
  {
    ask: (phone: string, number: string) => Fields;
    answer: (variables: Fields, assistantId: string) => Fields;
  }
> = {
  retell: {
    ask: (phone, number) => ({
      ...{ event: 'call_inbound', call_inbound: { from_number: phone, to_number: number } },
    }),
    answer: (variables, assistantId) => ({
      call_inbound: {
        dynamic_variables: variables,
        ...(assistantId !== '' && { override_agent_id: assistantId }),
      },
    }),
  },
  vapi: {
    ask: (phone, number) => ({
      message: { type: 'assistant-request', customer: { number: phone }, phoneNumber: { number } },
    }),
    answer: (variables, assistantId) => ({ assistantId, assistantOverrides: { variableValues: variables } }),
  },
  elevenlabs: {
    ask: (phone, number) => ({ caller_id: phone, called_number: number, agent_id: 'agent-1' }),
    answer: (variables) => ({ type: 'conversation_initiation_client_data', dynamic_variables: variables }),
  },
};

/** Variables in an answer. */
function variablesIn(body: Fields): Record<string, string> {
  const { call_inbound: retell, assistantOverrides: vapi, dynamic_variables: elevenLabs } = body;
  const own =
    (retell as Fields | undefined)?.['dynamic_variables'] ?? (vapi as Fields | undefined)?.['variableValues'];
  return (own ?? elevenLabs) as Record<string, string>;
}

const ofBusiness = [
  'business_name',
  'business_phone',
  'business_hours',
  'is_open',
  'local_time',
  'transfers',
];

/** Asks for what an assistant should know of a call, while it rings. */
export function answerRinging(planner: Planner): Plan {
  const { draw, organization } = planner;
  const as = draw.pick(platforms);
  const [phone, number] = [someCallingNumber(planner), someCalledNumber(planner)];
  const assistantId = as === 'vapi' || draw.happens(0.2) ? 'assistant-1' : '';
  const isOdd = draw.happens(0.05);
  const { ask, answer } = forms[as];
  return {
    operation: `answerRinging ${as}`,
    organization,
    token: someKey(planner, 'receptionist:answer').token,
    call: {
      endpoint: 'answerRinging',
      query: { as, ...(assistantId !== '' && { assistantId }) },
      body: isOdd ? draw.pick(['', 'hello', '[]']) : JSON.stringify(ask(phone, number)),
      headers: someSignature(planner),
    },
    check: (body, window, { mayFail, status }) => {
      const variables = variablesIn(body as Fields);
      const expected = { status: 200, body: answer(variables, assistantId) };
      checkOneOf('A call that rings must be answered in the form of its platform', [expected], {
        status,
        body,
      });
      const passed = Date.now() - window.since;
      if (passed > 1000)
        throw new Violation('A call that rings must be answered within a second', 1000, passed);
      // What could not be read in time is empty.
      const canBeEmpty = mayFail || passed >= timeLimits.ringing;
      checkVariables(window, variables, { phone: isOdd ? '' : phone, canBeEmpty });
    },
  };
}

/** Checks the variables for a call: what each read can have found in the window, or nothing. @throws Violation */
function checkVariables(
  window: Window,
  { knowledge = '', ...variables }: Record<string, string>,
  { phone, canBeEmpty }: { phone: string; canBeEmpty: boolean },
): void {
  const times = timesOf(window);
  const prompts = promptsIn(window)?.map(({ prompt }) => prompt);
  const old = [...window.organization.prepared].map(
    (text) => (JSON.parse(text) as { prompt: string }).prompt,
  );
  if (prompts)
    checkOneOf(
      'An assistant must know a state of the configuration in the window, or an old one if there was no time',
      [...prompts, ...(canBeEmpty ? ['', ...old] : [])],
      knowledge,
    );
  const own = Object.entries(variables).filter(([name]) => ofBusiness.includes(name));
  const isEmpty = own.every(([, text]) => text === '');
  const { transfers = '', ...business } = Object.fromEntries(own);
  // Without the business, no time of the caller's is told.
  const zones = isEmpty
    ? canBeEmpty
      ? [undefined]
      : []
    : statesIn(window).flatMap((state) =>
        minutesIn(times).flatMap((at) =>
          isBusinessAt(window, state, at, { business, transfers }) ? [String(state['timeZone'])] : [],
        ),
      );
  if (zones.length === 0 || own.length !== ofBusiness.length)
    throw new Violation('An assistant must know the business as it was in the window', statesIn(window), own);
  const callers = callersIn(window, phone, times);
  if (!callers) return;
  const nobody = [
    ...(callers.isUnknown ? [variablesOf(undefined, undefined)] : []),
    ...(canBeEmpty ? [{ ...variablesOf(undefined, undefined), caller_is_known: '' }] : []),
  ];
  checkOneOf(
    'An assistant must know the caller as it was in the window',
    [...nobody, ...callers.known.flatMap((one) => zones.map((timeZone) => variablesOf(one, timeZone)))],
    Object.fromEntries(Object.entries(variables).filter(([name]) => !ofBusiness.includes(name))),
  );
}

/** One time of each minute in which a request can have read its clock: what is said changes with the minute. */
function minutesIn({ from, to }: Times): number[] {
  const first = Math.floor(from / minute);
  return Array.from({ length: Math.floor(to / minute) - first + 1 }, (_, at) => (first + at) * minute);
}

/** True if an assistant knows a business as it is at a time. */
function isBusinessAt(
  window: Window,
  state: Fields,
  at: number,
  { business, transfers }: { business: Fields; transfers: string },
): boolean {
  const { hours, ...known } = businessAt(state, at) as Fields & { hours: Fields };
  const expected = {
    ...{ business_name: known['name'], business_phone: known['phone'], local_time: known['localTime'] },
    ...{ business_hours: hours['say'], is_open: hours['isOpen'] === true ? 'yes' : 'no' },
  };
  const lines = routesIn(window, state, at).map((routes) =>
    routes.map((route) => {
      if (!route) return undefined;
      const can = route['isReachable'] === true ? 'can be reached now' : 'cannot be reached now';
      const name = route['destinationName'] === '' ? 'the destination' : String(route['destinationName']);
      return `${String(route['label'])}: ${String(route['conditions'])} (${name} ${can})`;
    }),
  );
  return same(expected, business) && areInOrder(transfers === '' ? [] : transfers.split('\n'), lines);
}

/** Variables about a caller. */
function variablesOf(caller: Fields | undefined, timeZone: string | undefined): Fields {
  if (!caller)
    return {
      ...{ caller_is_known: 'no', caller_name: '', caller_first_name: '', caller_suburb: '' },
      ...{ caller_status: '', caller_lead_id: '', last_inquiries: '', next_appointments: '' },
    };
  const { firstName, lastName, suburb, status, leadId, lastInquiries, nextAppointments } = caller;
  const day = new Intl.DateTimeFormat('en-GB', { timeZone, weekday: 'long', day: 'numeric', month: 'long' });
  const dayOf = (time: unknown) => {
    const parts = day.formatToParts(Date.parse(String(time)));
    const [weekday, date, month] = ['weekday', 'day', 'month'].map(
      (type) => parts.find((part) => part.type === type)?.value,
    );
    return `${weekday}, ${date} ${month}`;
  };
  const inquiries = (lastInquiries as Record<string, string>[]).map(
    ({ source, summary, createdAt }) =>
      `${source} on ${dayOf(createdAt)}: ${summary === '' ? 'no summary' : summary}`,
  );
  const appointments = (nextAppointments as Record<string, string>[]).map(
    ({ title, start }) => `${title}: ${say(localTimeIn(timeZone ?? 'UTC', Date.parse(String(start))))}`,
  );
  return {
    ...{ caller_is_known: 'yes', caller_name: fromStranger(`${String(firstName)} ${String(lastName)}`) },
    ...{ caller_first_name: firstName, caller_suburb: suburb, caller_status: status, caller_lead_id: leadId },
    ...(timeZone === undefined
      ? { last_inquiries: '', next_appointments: '' }
      : { last_inquiries: inquiries.join('\n'), next_appointments: appointments.join('\n') }),
  };
}

export const plans: readonly WeightedPlan[] = [
  [getReceptionist, 4],
  [answerRinging, 4],
];
