import type { SendText } from '../../../shared/sms/send-text.ts';
import { currentInvocation } from './invocation.ts';
import { handOver } from './texts.ts';

/** In the place of `shared/sms/environment.ts`: hands texts to the simulated provider. */
export const sendText: SendText = (message) => handOver(currentInvocation(), message);
