import type { Texting } from '../../../shared/domain/sms/send-text.ts';
import { currentInvocation } from './invocation.ts';
import { handOver } from './texts.ts';

/** In the place of `shared/http/text-sender.ts`: hands texts to the simulated provider. */
export const texting: Texting = {
  send: (message) => handOver(currentInvocation(), message),
  from: 'arn:aws:sms-voice:us-east-1:000000000000:pool/pool-1',
};
