import { expandNotModified, visibleBody, mayRead } from './record-responses.ts';
import type { Problem, ErrorResponse } from './model/refusal.ts';
import { isGranted } from './model/scopes.ts';
import type { Tags } from './model/tags.ts';
import type { Window } from './model/window.ts';
import type { HttpResponse, Request } from './request.ts';
import { same, type Fields } from './same.ts';
import { Violation } from './violation.ts';
import type { World } from './world.ts';

/** Responses that the conditions of an episode allow. */
export interface Allowed {
  /** True if faults, deaths or load explain a 5xx. */
  serverErrors: boolean;
}

/** Messages of a 500 that leave the outcome of the request open. */
const unknownOutcomes = [
  'Whether the change was stored is not known; read before you try again',
  'The request took too long; whether it was carried out is not known',
];

/** Checks a response against the organization's states while the request ran. @throws Violation */
export function checkResponse(
  world: World,
  request: Request,
  response: HttpResponse,
  allowed: Allowed,
): void {
  const { plan, made } = request;
  if (response.status === 304) {
    checkSuccess(request, expandNotModified(request, response), world.windowOf(request), allowed);
    return;
  }
  if (response.status < 300 || response.status === 303) {
    checkSuccess(request, response, world.windowOf(request), allowed);
    checkForeign(world, request, response);
    return;
  }
  if (!response.isFromGateway && plan.checkFailure?.(response, request)) return;
  if (response.status >= 500) {
    const isExpected = response.status === 503 && plan.canBeUnavailable?.(world.windowOf(request));
    checkServerError(request, response, isExpected ? { ...allowed, serverErrors: true } : allowed);
    return;
  }
  checkForeign(world, request, response);
  if (made.length > 0) {
    throw wrong('A refused request must have stored nothing', 'no commit', { response: response.body, made });
  }
  checkRefusal(response, plan.refusals?.(world.windowOf(request)) ?? [], refusingOf(world, request));
}

function checkSuccess(
  request: Request,
  { body, status, headers }: HttpResponse,
  window: Window,
  { serverErrors: mayFail }: Allowed,
): void {
  const { plan, made, handovers, publishedAt, scopes } = request;
  if (plan.check) {
    const may = (scope: string) => isGranted(scopes, scope);
    plan.check(body, window, { made, handovers, publishedAt, status, headers, may, mayFail });
    return;
  }
  const bodies = made[0] ? [made[0].response] : (plan.unchanged?.(window) ?? []);
  const possible = bodies.map((one) => visibleBody(request, one));
  if (possible.some((one) => same(one, body))) return;
  const rule = made[0]
    ? 'A response must show what was stored'
    : 'The response to a request that stored nothing must be right at some time while it ran';
  throw wrong(rule, possible, body);
}

function checkServerError(request: Request, response: HttpResponse, { serverErrors }: Allowed): void {
  const { status, body, isFromGateway, headers } = response;
  if (!serverErrors) {
    throw wrong('Without faults, no request may get a 5xx', 'no 5xx', {
      status,
      body,
      log: request.log,
    });
  }
  if (isFromGateway) return;
  const message = messageOf(body);
  if (status === 503) {
    const { made } = request;
    if (made.length > 0) throw wrong('A 503 promises that nothing was stored', 'no commit', made);
    if (headers['Retry-After'] === undefined) throw wrong('A 503 must have Retry-After', 'a header', headers);
    return;
  }
  if (status !== 500 || !unknownOutcomes.includes(String(message))) {
    throw wrong('Faults explain only a 503, or a 500 that reports an unknown outcome', unknownOutcomes, {
      status,
      body,
      log: request.log,
    });
  }
}

/** Data that decides which error responses are right. */
interface Refusing {
  tags: Tags;
  organization: string;
  /** True if the client may read the record. */
  tellsOfRecord: boolean;
}

export const refusingOf = ({ tags }: World, request: Request): Refusing => ({
  tags,
  organization: request.plan.organization.code,
  tellsOfRecord: mayRead(request),
});

/**
 * Checks that a response is one of the right errors. A client that may not read the record gets neither its
 * id nor its tag. @throws Violation
 */
export function checkRefusal(
  response: HttpResponse,
  refusals: readonly ErrorResponse[],
  { tags, organization, tellsOfRecord }: Refusing,
): void {
  const error = (response.body as { error?: Fields }).error ?? {};
  const found = error['details'] as Problem[] | undefined;
  const tag = response.headers['ETag'];
  const hasTagOf = (record: Fields | undefined) =>
    record === undefined || tag === undefined ? record === tag : tags.canBe(organization, { tag, record });
  const isRight = ({ status, message, existingId, tagged, field, details, reason }: ErrorResponse) =>
    status === response.status &&
    (message === undefined || message === messageOf(response.body)) &&
    (tellsOfRecord ? existingId : undefined) === error['existingId'] &&
    hasTagOf(tellsOfRecord ? tagged : undefined) &&
    (field === undefined || found?.some((detail) => detail.field.endsWith(field)) === true) &&
    (details === undefined || same(details, found)) &&
    reason === response.headers['X-Failure-Reason'] &&
    (reason === undefined || same(response.body, { message }));
  if (!refusals.some(isRight)) {
    throw wrong('An error response must be right at some time while the request ran', refusals, response);
  }
}

/** `error.message`, or the message of a failed SMS. */
function messageOf(body: unknown): unknown {
  // Of an HTML page, only the presence of the sentence is checked.
  if (typeof body === 'string') return unknownOutcomes.find((sentence) => body.includes(sentence));
  const { error, message } = body as { error?: { message?: unknown }; message?: unknown };
  return error ? error.message : message;
}

/** Checks that a response contains nothing of another organization, unless the client named it. */
function checkForeign(world: World, { plan }: Request, { body }: HttpResponse): void {
  const text = JSON.stringify(body ?? '');
  for (const code of world.organizations.keys()) {
    if (code !== plan.organization.code && text.includes(code)) {
      throw wrong('A response must contain nothing of another organization', `nothing of ${code}`, body);
    }
  }
}

const wrong = (rule: string, expected: unknown, observed: unknown) =>
  new Violation(rule, { expected, observed });
