import type { OutgoingSms, SmsOutcome } from '../../../shared/domain/sms/sms-provider.ts';
import type { Invocation } from './invocation.ts';

type HandOver = (invocation: Invocation, message: OutgoingSms) => Promise<SmsOutcome>;

let current: HandOver = () => Promise.reject(new Error('No provider is connected'));

/** Connects handovers to the provider of the running episode. */
export function sendSmsTo(handOver: HandOver): void {
  current = handOver;
}

/** Hands an SMS to the provider. */
export const handOver: HandOver = (invocation, message) => current(invocation, message);
