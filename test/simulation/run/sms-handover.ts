import type { OutgoingSms, SmsOutcome } from '../../../shared/domain/sms/sms-provider.ts';
import type { Invocation } from './invocation.ts';

type HandOver = (invocation: Invocation, message: OutgoingSms) => Promise<SmsOutcome>;

let current: HandOver = () => Promise.reject(new Error('No provider takes texts'));

/** Lets texts go to the provider of the episode that runs. */
export function sendSmsTo(handOver: HandOver): void {
  current = handOver;
}

/** Hands a text to the provider. */
export const handOver: HandOver = (invocation, message) => current(invocation, message);
