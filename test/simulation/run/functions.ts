import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { handler as receiveTexts } from '../../../functions/workers/receive-texts.ts';
import { handler as authorize } from '../../../functions/authorizer/authorize.ts';
import { handler as dispatchWebhooks } from '../../../functions/workers/dispatch-webhooks.ts';
import { handler as sendWebhooks } from '../../../functions/workers/send-webhooks.ts';
import { handler as sweepWebhooks } from '../../../functions/workers/sweep-webhooks.ts';
import { findContracts } from '../../../infra/functions.ts';
import { root } from '../../../infra/root.ts';
import type { Endpoint } from '../../../shared/contract/endpoint.ts';

/** Handler of a function, as Lambda calls it. */
export type Handler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;

interface EndpointFunction extends Pick<
  Endpoint,
  'method' | 'path' | 'scope' | 'batch' | 'takesForms' | 'takesEvents'
> {
  handler: Handler;
}

const { operations } = await findContracts();
const endpoints = new Map<string, EndpointFunction>(
  await Promise.all(
    operations
      // An endpoint without access to the table has nothing to simulate, and may need its bundle.
      .filter(({ endpoint }) => endpoint.access !== 'none')
      .map(async ({ operationId, endpoint, entry }) => {
        const { handler } = (await import(pathToFileURL(join(root, entry)).href)) as { handler: Handler };
        return [operationId, { ...endpoint, handler }] as const;
      }),
  ),
);

/** Functions of the service: each endpoint with its handler, by operationId; the authorizer; and workers. */
export const functions = {
  authorize,
  receiveTexts,
  dispatchWebhooks,
  sendWebhooks,
  sweepWebhooks,
  endpoint: (operationId: string): EndpointFunction => {
    const found = endpoints.get(operationId);
    if (!found) throw new Error(`There is no endpoint ${operationId}`);
    return found;
  },
};
