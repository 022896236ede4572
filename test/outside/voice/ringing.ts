import { deepStrictEqual } from 'node:assert';
import { platforms } from '../../../shared/contract/call-events.ts';
import { textAt } from '../../../shared/core/json-parts.ts';
import { eventually } from '../../support/patience.ts';
import { eventsOfCall, voiceEvent } from '../../support/voice/events.ts';
import type { Message } from './events.ts';
import type { Organization } from './service.ts';

/** Place of the variables in the answer to a platform. */
const variablesAt = {
  retell: ['call_inbound', 'dynamic_variables'],
  vapi: ['assistantOverrides', 'variableValues'],
  elevenlabs: ['dynamic_variables'],
};

/**
 * Answers to the platforms' requests for a call that rings, of a caller who called before.
 *
 * @throws AssertionError if an answer does not know the caller
 */
export async function answersToRinging({ newKey, post }: Organization): Promise<Message[]> {
  const call = JSON.stringify(voiceEvent(eventsOfCall.retell[2]));
  await post(`/v1/calls/events?key=${await newKey('calls:submit')}`, call);
  const key = await newKey('receptionist:answer');
  const answers: Message[] = [];
  for (const as of platforms) {
    const query = `key=${key}&as=${as}${as === 'vapi' ? '&assistantId=b3a1d5f0-6e92-4a43-9a0d-2c1fd7e65a90' : ''}`;
    const request = JSON.stringify(voiceEvent(`${as}-ringing`));
    const answered = async () => {
      const { status, body } = await post(`/v1/receptionist/ringing?${query}`, request);
      const caller = textAt(body, ...variablesAt[as], 'caller_name');
      // A slow machine may read the caller too late.
      return status === 200 && caller === '' ? undefined : { status, body, caller };
    };
    const { status, body, caller } = await eventually(answered, () => `The answer to ${as} has no caller.`);
    deepStrictEqual({ status, caller }, { status: 200, caller: '«Jane Doe»' }, `The answer to ${as}`);
    answers.push({ name: `answer-to-${as}`, kind: `answer to ${as}`, value: body });
  }
  return answers;
}
