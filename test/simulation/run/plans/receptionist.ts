import { platforms, type Platform } from '../../../../shared/contract/call-events.ts';
import { timeLimits } from '../../../../shared/core/waits.ts';
import type { Window } from '../model/window.ts';
import type { Plan, WeightedPlan } from '../plan.ts';
import type { Planner } from '../planner.ts';
import type { Fields } from '../same.ts';
import { checkOneOf, Violation } from '../violation.ts';
import { somePhone } from './contacts.ts';
import { someKey, someSignature } from './keys.ts';
import { promptsSince } from './prompts.ts';

/**
 * Prompts that the configuration gave at some time in the window; undefined if they are too many. The window is by the
 * head, which tells whether a prompt is current.
 */
const promptsIn = ({ organization, version }: Window) => promptsSince(organization, version);

/** Reads what somebody needs who answers the telephone. */
export function getReceptionist(planner: Planner): Plan {
  const { draw, organization } = planner;
  const isText = draw.happens(0.2);
  const query = { phone: somePhone(planner), ...(isText && { format: 'text' }) };
  return {
    operation: `getReceptionist${isText ? ' text' : ''}`,
    organization,
    call: { endpoint: 'getReceptionist', query },
    check: (body, window) => {
      const { prompt } = isText ? { prompt: body } : (body as Fields);
      const prompts = promptsIn(window)?.map((one) => one.prompt);
      if (prompts)
        checkOneOf('A prompt must be made of a state of the configuration in the window', prompts, prompt);
    },
  };
}

/** Request of each platform for a call that rings. */
const asked: Record<Platform, (phone: string) => Fields> = {
  retell: (phone) => ({ event: 'call_inbound', call_inbound: { from_number: phone } }),
  vapi: (phone) => ({ message: { type: 'assistant-request', customer: { number: phone } } }),
  elevenlabs: (phone) => ({ caller_id: phone, called_number: '', agent_id: 'agent-1' }),
};

/** Text in an answer that tells the assistant about the organization. */
function knowledgeIn(body: Fields): unknown {
  const {
    call_inbound: retell,
    assistantOverrides: vapi,
    dynamic_variables: elevenLabs,
  } = body as Record<string, Fields | undefined>;
  const variables = retell?.['dynamic_variables'] ?? vapi?.['variableValues'] ?? elevenLabs;
  return (variables as Fields)['knowledge'];
}

/** Asks for what an assistant should know of a call, while it rings. */
export function answerRinging(planner: Planner): Plan {
  const { draw, organization } = planner;
  const as = draw.pick(platforms);
  return {
    operation: `answerRinging ${as}`,
    organization,
    token: someKey(planner, 'receptionist:answer').token,
    call: {
      endpoint: 'answerRinging',
      query: { as, assistantId: 'assistant-1' },
      body: JSON.stringify(asked[as](somePhone(planner))),
      headers: someSignature(planner),
    },
    check: (body, window, { mayFail }) => {
      const passed = Date.now() - window.since;
      if (passed > 1000)
        throw new Violation('A call that rings must be answered within a second', 1000, passed);
      const prompts = promptsIn(window)?.map(({ prompt }) => prompt);
      // A prompt that could not be read in time is empty or old.
      const canBeOld = mayFail || passed >= timeLimits.ringing;
      const old = [...organization.prepared].map((text) => (JSON.parse(text) as { prompt: string }).prompt);
      const rule =
        'An assistant must know a state of the configuration in the window, or an old one if there was no time';
      if (prompts)
        checkOneOf(rule, [...prompts, ...(canBeOld ? ['', ...old] : [])], knowledgeIn(body as Fields));
    },
  };
}

export const plans: readonly WeightedPlan[] = [
  [getReceptionist, 4],
  [answerRinging, 4],
];
