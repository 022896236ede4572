import type { SendText } from '../../../shared/domain/sms/send-text.ts';
import { currentInvocation } from './invocation.ts';
import { handOver } from './texts.ts';

/** In the place of `shared/http/text-sender.ts`: hands texts to the simulated provider. */
export const sendText: SendText = (message) => handOver(currentInvocation(), message);
