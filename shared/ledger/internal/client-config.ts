import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { timeLimits } from '../../core/waits.ts';

/**
 * Timeouts short enough to retry a call that gets no reply, or only a part of a reply. The SDK does not retry: the
 * ledger treats a lost reply and a refusal differently, and waits less.
 */
export const clientConfig = {
  maxAttempts: 1,
  requestHandler: {
    connectionTimeout: timeLimits.connect,
    requestTimeout: timeLimits.reply,
    socketTimeout: timeLimits.reply,
    throwOnRequestTimeout: true,
  },
} as const satisfies DynamoDBClientConfig;
