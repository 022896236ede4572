import type { APIGatewayProxyResult } from 'aws-lambda';
import * as v from 'valibot';
import { sentences } from '../../contract/errors.ts';
import { parse } from '../../contract/parse.ts';
import { isGranted, scopes, type Scope } from '../../contract/scopes.ts';
import { getTokenEndpoint } from '../../contract/token.ts';
import { Failure } from '../../core/failure.ts';
import { baseUrlOf } from '../base-url.ts';
import { bodyText, type ServedEvent } from '../event.ts';
import { answerMcp } from './answer-mcp.ts';
import { officeTools } from './office-tools.ts';
import { receptionistTools } from './receptionist-tools.ts';
import { sendingAs, type Send } from './sending.ts';
import type { Tool } from './tool.ts';

/** Sets of tools, each for a purpose. */
export const toolSets = { receptionist: receptionistTools, office: officeTools } as const;

const AgentQuery = v.object({
  tools: v.optional(v.picklist(['receptionist', 'office'], 'must be receptionist or office'), 'office'),
});

const Listing = v.object({ method: v.literal('tools/list') });

/**
 * Answers a request of an agent. What a tool does, it does by the API and with the caller's token: nothing else gives it a right.
 *
 * @param version version of the API
 * @throws Failure `forbidden` for a page of another website; `invalid` for an unknown set of tools
 */
export async function answerAgent(version: string, event: ServedEvent): Promise<APIGatewayProxyResult> {
  const baseUrl = baseUrlOf(event);
  const { origin, authorization } = event.headers;
  if (origin !== undefined && origin !== new URL(baseUrl).origin)
    throw new Failure('forbidden', sentences.otherOrigin);
  const set = toolSets[parse(AgentQuery, event.queryStringParameters ?? {}).tools];
  const send = sendingAs(authorization, { baseUrl, address: event.requestContext.identity.sourceIp });
  const body = bodyText(event);
  const tools = isListing(body) ? await allowedOf(set, send) : set;
  const request = new Request(`${baseUrl}${event.resource}`, {
    method: event.httpMethod,
    headers: Object.entries(event.headers).map(([name, value]): [string, string] => [name, value ?? '']),
    ...(body !== '' && { body }),
  });
  const response = await answerMcp({ tools, send, version }, request);
  return {
    statusCode: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.text(),
  };
}

/** True if a message lists the tools, alone or in a batch, which older clients may send. */
function isListing(body: string): boolean {
  const message = v.safeParse(v.pipe(v.string(), v.parseJson()), body);
  return message.success && [message.output].flat().some((one) => v.is(Listing, one));
}

/** Tools that the caller's token allows. Without a valid token all of them, which only describes. */
async function allowedOf(set: readonly Tool[], send: Send): Promise<readonly Tool[]> {
  const { method, path, responses } = getTokenEndpoint;
  const { body } = await send({ method, target: path, body: undefined, key: undefined });
  const token = v.safeParse(responses[200], body);
  if (!token.success) return set;
  const held = scopes.filter((scope: Scope) => token.output.scopes.includes(scope));
  return set.filter(({ scope }) => isGranted(scope, held));
}
