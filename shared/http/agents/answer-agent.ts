import type { APIGatewayProxyResult } from 'aws-lambda';
import * as v from 'valibot';
import { sentences } from '../../contract/errors.ts';
import { parse } from '../../contract/parse.ts';
import { isGranted, scopes, type Scope } from '../../contract/scopes.ts';
import { getTokenEndpoint } from '../../contract/token.ts';
import { Failure } from '../../core/failure.ts';
import { baseUrlOf } from '../base-url.ts';
import { bodyText, jsonResponse, type ServedEvent } from '../event.ts';
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

const Json = v.pipe(v.string(), v.parseJson());
const Listing = v.object({ method: v.literal('tools/list') });
const Call = v.object({ method: v.literal('tools/call') });

/** JSON-RPC's error for a request that is not allowed (section 5.1 of JSON-RPC). A batch has no id. */
const batchOfCalls = {
  jsonrpc: '2.0',
  id: null,
  error: { code: -32600, message: sentences.batchOfCalls },
};

/**
 * Answers a request of an agent. A tool acts only by the API and with the principal's token, so it has only the rights of
 * that token.
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
  // The SDK leaves out a byte order mark at the beginning. So does this code, to read the same messages.
  const body = bodyText(event).replace(/^\uFEFF+/, '');
  const sent: unknown = v.safeParse(Json, body).output;
  const has = (message: typeof Listing | typeof Call) => [sent].flat().some((one) => v.is(message, one));
  // The version of 2025-03-26 has batches. One request to this function causes at most one request to the API.
  if (Array.isArray(sent) && has(Call)) return jsonResponse(400, batchOfCalls);
  const tools = has(Listing) ? await allowedOf(set, send) : set;
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

/** Tools that the principal's token allows. Without a valid token, all tools: the list only describes them. */
async function allowedOf(set: readonly Tool[], send: Send): Promise<readonly Tool[]> {
  const { method, path, responses } = getTokenEndpoint;
  const { body } = await send({ method, target: path, body: undefined, key: undefined });
  const token = v.safeParse(responses[200], body);
  if (!token.success) return set;
  const held = scopes.filter((scope: Scope) => token.output.scopes.includes(scope));
  return set.filter(({ scope }) => isGranted(scope, held));
}
