import type { Context } from 'aws-lambda';
import { functionMemory } from '../../infra/stack/service-function.ts';
import { accessLogFields } from '../../infra/stack/access-log.ts';
import { proxyEvent } from '../../infra/local/gateway/proxy-event.ts';
import type { Operation } from '../../infra/functions.ts';
import type { ServedEvent } from '../../shared/http/event.ts';
import { log } from '../../shared/http/log.ts';
import { serve } from '../../shared/http/serve.ts';
import type { Cost } from '../support/operations.ts';

const requestId = '00000000-0000-4000-8000-000000000000';
const organization = '6H8EV880';

/**
 * Lines that Lambda writes for each call, besides the function's own.
 * https://docs.aws.amazon.com/lambda/latest/dg/nodejs-logging.html
 */
export const lambdaBytes = [
  `START RequestId: ${requestId} Version: $LATEST`,
  `END RequestId: ${requestId}`,
  `REPORT RequestId: ${requestId}\tDuration: 25.83 ms\tBilled Duration: 26 ms\tMemory Size: ${functionMemory} MB\tMax Memory Used: 120 MB\t`,
].join('').length;

/** Bytes of log of a request: lines of its function, of Lambda and of API Gateway. */
export async function requestBytes(operation: Operation, cost: Cost): Promise<number> {
  const line = await captured(() => answered(operation, cost));
  return line.length + lambdaBytes + accessBytes(operation);
}

/** Bytes of log of a call of the authorizer or of a worker. */
export async function otherBytes(name: string, [calls, readUnits, writeUnits]: Cost): Promise<number> {
  const capacity = { calls, readUnits, writeUnits, transactions: 0, writes: 0 };
  const line = await captured(() => {
    log({ requestId, operation: name, organization, status: 200, milliseconds: 15, capacity }, [
      'readUnits',
      // A worker's line has no such field.
      ...(name === 'authorize' ? (['milliseconds'] as const) : []),
    ]);
  });
  return line.length + lambdaBytes;
}

/** Lets a function answer its contract's example, with the operation's capacity in its log line. */
async function answered({ endpoint }: Operation, [calls, readUnits, writeUnits]: Cost): Promise<void> {
  const { method, path, example, scope } = endpoint;
  const context = {
    organization,
    userId: 'user_6H8EV88000000001',
    scopes: 'read write',
    tokenId: '1',
    principalId: '1',
  };
  const { params = {}, query = {}, body } = example;
  const event = proxyEvent({
    request: {
      method,
      target: path,
      headers: [
        ['Host', 'api.example.com'],
        ['Content-Type', 'application/json'],
      ],
      body: Buffer.from(body === undefined ? '' : JSON.stringify(body)),
      sourceIp: '127.0.0.1',
    },
    route: { method, path, functionName: '', authorizer: undefined },
    path,
    query: new URLSearchParams(query).toString(),
    variables: params,
    requestId,
    authorization: scope === 'public' ? undefined : { context, allows: () => true },
  });
  const handler = serve(endpoint, ({ caller }) => {
    const writes = writeUnits > 0 ? 1 : 0;
    const capacity = { calls, readUnits, writeUnits, transactions: writes, writes };
    // A public endpoint has no caller.
    if (endpoint.scope !== 'public') Object.assign(caller.capacity, capacity);
    const status = Object.keys(endpoint.responses).map(Number)[0];
    return { status, body: example.response } as never;
  });
  const lambda = { awsRequestId: requestId, getRemainingTimeInMillis: () => 15_000 } as Context;
  // Called twice, since the first line of a process has more fields.
  await handler(structuredClone(event) as unknown as ServedEvent, lambda);
  await handler(event as unknown as ServedEvent, lambda);
}

/** Bytes of an operation's access log line, with each variable at its usual length. */
function accessBytes({ endpoint: { method, path } }: Operation): number {
  const values = {
    ...accessLogFields,
    requestId,
    extendedRequestId: 'IEQlPGkoIAMEqTg=',
    time: '22/Nov/2026:09:00:00 +0000',
    organization,
    method,
    route: path,
    status: '200',
    refusedBy: '-',
    milliseconds: '35',
    functionMilliseconds: '30',
    functionStatus: '200',
    functionRequestId: requestId,
    authorizerMilliseconds: '0',
    authorizerStatus: '200',
    // Most requests use a cached answer of the authorizer.
    authorizerRequestId: '-',
    webAcl: 'WAF_ALLOW',
  };
  return JSON.stringify(values).length + 1;
}

/** Returns the last line written to standard output during a run. */
async function captured(run: () => void | Promise<void>): Promise<string> {
  const write = process.stdout.write.bind(process.stdout);
  let last = '';
  process.env['METRICS_NAMESPACE'] = 'SalesPipeline-prod';
  process.stdout.write = (chunk: string | Uint8Array) => {
    last = String(chunk);
    return true;
  };
  try {
    await run();
    return last;
  } finally {
    process.stdout.write = write;
    delete process.env['METRICS_NAMESPACE'];
  }
}
