import type { Platform } from '../../contract/call-events.ts';
import type { RingingAnswer, RingingQuery, Variables } from '../../contract/receptionist.ts';
import { fromStranger } from '../../core/from-stranger.ts';
import { textAt } from '../../core/json-parts.ts';
import { localTimeIn } from '../../core/local-time.ts';
import type { System } from '../../core/system.ts';
import { timeLimits } from '../../core/waits.ts';
import type { Ledger } from '../../ledger/index.ts';
import { sayDate } from '../calendar/say.ts';
import {
  readBusiness,
  readCaller,
  readKnowledge,
  withBookingsSaid,
  type KnownCaller,
} from './get-receptionist.ts';
import type { Knowledge } from './knowledge.ts';

/** Numbers in a platform's request for a call that rings. */
const numbersIn: Record<Platform, (json: unknown) => { phone: string; number: string }> = {
  retell: (json) => ({
    phone: textAt(json, 'call_inbound', 'from_number'),
    number: textAt(json, 'call_inbound', 'to_number'),
  }),
  vapi: (json) => ({
    phone:
      textAt(json, 'message', 'customer', 'number') || textAt(json, 'message', 'call', 'customer', 'number'),
    number: textAt(json, 'message', 'phoneNumber', 'number'),
  }),
  elevenlabs: (json) => ({ phone: textAt(json, 'caller_id'), number: textAt(json, 'called_number') }),
};

/** Effects of an answer to a call that rings. */
interface Ringing {
  system: Pick<System, 'now' | 'sleep'>;
  /** Receives each error: the answer does not tell of errors. */
  report: (error: unknown) => void;
}

/**
 * Answers a platform while a call rings, within `timeLimits.ringing` and a little more. Never fails: a value that
 * cannot be read in time is empty. Without time to make new knowledge, the answer has the old knowledge.
 */
export async function answerRinging(
  ledger: Ledger,
  json: unknown,
  { as, assistantId }: RingingQuery,
  { system, report }: Ringing,
): Promise<RingingAnswer> {
  const now = system.now();
  const { phone, number } = numbersIn[as](json);
  const timeout = system.sleep(timeLimits.ringing);
  const inTime = <T>(reading: Promise<T>): Promise<T | undefined> => {
    const read = reading.catch((error: unknown) => {
      report(error);
      return undefined;
    });
    return Promise.race([read, timeout.then(() => undefined)]);
  };
  let old: Knowledge | undefined;
  const [called, caller, knowledge = old] = await Promise.all([
    inTime(readBusiness(ledger, number, now)),
    inTime(readCaller(ledger, phone, now)),
    inTime(
      readKnowledge(ledger, (stored) => {
        old = stored;
      }),
    ),
  ]);
  const { business, routes = [] } = called ?? {};
  return inFormOf(as, assistantId, {
    business_name: business?.name ?? '',
    business_phone: business?.phone ?? '',
    business_hours: business?.hours.say ?? '',
    is_open: business === undefined ? '' : business.hours.isOpen ? 'yes' : 'no',
    local_time: business?.localTime ?? '',
    ...variablesOf(caller, business?.hours.timeZone),
    transfers: routes
      .map(({ label, conditions, destinationName, number, isReachable }) => {
        const state =
          number === ''
            ? 'has no number: take a message'
            : isReachable
              ? 'can be reached now'
              : 'cannot be reached now';
        return `${label}: ${conditions.replaceAll(/\s+/g, ' ')} (${destinationName || 'the destination'} ${state})`;
      })
      .join('\n'),
    knowledge: knowledge?.prompt ?? '',
  });
}

/**
 * Variables about a caller. `caller` is null if nobody knows the caller, and undefined if it could not be read in time.
 * Times are in the time zone of the business, and left out if the time zone is undefined.
 */
function variablesOf(caller: KnownCaller | null | undefined, timeZone: string | undefined) {
  const { firstName = '', lastName = '', suburb = '', status = '', leadId = '' } = caller ?? {};
  return {
    caller_is_known: caller === undefined ? '' : caller === null ? 'no' : 'yes',
    caller_name: fromStranger(`${firstName} ${lastName}`),
    caller_first_name: firstName,
    caller_suburb: suburb,
    caller_status: status,
    caller_lead_id: leadId,
    ...timesOf(caller ?? undefined, timeZone),
  };
}

function timesOf(caller: KnownCaller | undefined, timeZone: string | undefined) {
  if (!caller || timeZone === undefined) return { last_inquiries: '', next_appointments: '' };
  const dayOf = (time: string) => sayDate(localTimeIn(timeZone, Date.parse(time)));
  const { lastInquiries, nextAppointments } = withBookingsSaid(caller, timeZone, () => []);
  return {
    last_inquiries: lastInquiries
      .map(({ source, summary, createdAt }) => `${source} on ${dayOf(createdAt)}: ${summary || 'no summary'}`)
      .join('\n'),
    next_appointments: nextAppointments.map(({ title, say }) => `${title}: ${say}`).join('\n'),
  };
}

function inFormOf(as: Platform, assistantId: string | undefined, variables: Variables): RingingAnswer {
  switch (as) {
    case 'retell': {
      const agent = assistantId === undefined ? {} : { override_agent_id: assistantId };
      return { call_inbound: { dynamic_variables: variables, ...agent } };
    }
    case 'vapi':
      return { assistantId: assistantId ?? '', assistantOverrides: { variableValues: variables } };
    case 'elevenlabs':
      return { type: 'conversation_initiation_client_data', dynamic_variables: variables };
  }
}
