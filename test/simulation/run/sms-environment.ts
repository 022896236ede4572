import type { SmsProvider } from '../../../shared/domain/sms/sms-provider.ts';
import { currentInvocation } from './invocation.ts';
import { handOver } from './sms-handover.ts';

/** Replaces `shared/http/sms-provider.ts`: hands SMS to the simulated provider. */
export const smsProvider: SmsProvider = {
  send: (message) => handOver(currentInvocation(), message),
  from: 'arn:aws:sms-voice:us-east-1:000000000000:pool/pool-1',
};
