import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { functionArnOf } from '../arns.ts';
import { localMessageOf } from '../local-error.ts';
import { isFromWebPage, startServer, type RunningServer, webPagesRefused } from '../loopback.ts';
import { callOf, deniedMessage, type Permissions } from '../role.ts';
import type { Outcome } from './function-messages.ts';

/** Stands in for Lambda's API: invokes functions of this machine, if the caller's role allows it. */
export type LambdaStandIn = RunningServer;

interface LambdaDependencies {
  permissions: Permissions;
  /** Invokes the function that is deployed under a name. Undefined if there is none. */
  invoke: (deployedName: string, event: unknown) => Promise<Outcome | undefined>;
}

/** Answer of Lambda's API, or its refusal. */
type LambdaAnswer = { outcome: Outcome } | { status: number; refusal: string; message: string };

export const startLambdaStandIn = (dependencies: LambdaDependencies): Promise<LambdaStandIn> =>
  startServer((request, response) => answer(request, response, dependencies));

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  dependencies: LambdaDependencies,
): Promise<void> {
  const body = await text(request);
  const answer = await answerTo(request, body, dependencies);
  if ('refusal' in answer) {
    const headers = { 'Content-Type': 'application/json', 'X-Amzn-ErrorType': answer.refusal };
    response.writeHead(answer.status, headers).end(JSON.stringify({ Message: answer.message }));
    return;
  }
  const { result = 'null', error } = answer.outcome;
  // A function that failed is an answer, too.
  // https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html
  response.writeHead(200, {
    'Content-Type': 'application/json',
    ...(error && { 'X-Amz-Function-Error': 'Unhandled' }),
  });
  response.end(error ? JSON.stringify({ errorType: error.type, errorMessage: error.message }) : result);
}

async function answerTo(
  request: IncomingMessage,
  body: string,
  { permissions, invoke }: LambdaDependencies,
): Promise<LambdaAnswer> {
  const { method = '', url = '', headers } = request;
  const denied = (message: string) => ({ status: 403, refusal: 'AccessDeniedException', message });
  if (isFromWebPage(request)) return denied(webPagesRefused);
  const [, encoded] = /^\/2015-03-31\/functions\/([^/?]+)\/invocations$/.exec(url) ?? [];
  const { 'x-amz-invocation-type': type = 'RequestResponse' } = headers;
  if (method !== 'POST' || encoded === undefined || type !== 'RequestResponse') {
    const message = `The local machine knows no ${method} ${url} (${String(type)}), but a call that waits`;
    return { status: 400, refusal: 'InvalidRequestContentException', message };
  }
  const name = decodeURIComponent(encoded);
  const { functionName } = callOf(request);
  const permission = { action: 'lambda:InvokeFunction', resource: functionArnOf(name) };
  if (!permissions.check(functionName, permission)) return denied(deniedMessage(functionName, permission));
  try {
    const outcome = await invoke(name, JSON.parse(body));
    if (outcome) return { outcome };
    return { status: 404, refusal: 'ResourceNotFoundException', message: `Function not found: ${name}` };
  } catch (error) {
    return { status: 500, refusal: 'ServiceException', message: localMessageOf(error) };
  }
}
