import { findContracts } from '../../../infra/functions.ts';
import { answersRecord } from '../../../shared/contract/endpoint.ts';
import { promisesNothing } from './commit-check.ts';
import { isGranted } from './model/rules.ts';
import type { Window } from './model/window.ts';
import type { HttpResponse, Plan, Request } from './plan.ts';
import { checkRefused, checkReplayed, hasIdsAlone, isReplayed } from './key-check.ts';
import type { Fields } from './same.ts';
import { Violation } from './violation.ts';
import { erasedIn, type World } from './world.ts';

/** An operation that responds with one record. */
interface RecordResponse {
  kind: string;
  /** True if the record is in a field of that name rather than the whole response. */
  isWrapped: boolean;
}

const { operations } = await findContracts();

const recordResponses = new Map(
  operations
    .filter(({ endpoint }) => answersRecord(endpoint))
    .map(({ operationId, endpoint }): [string, RecordResponse] => {
      const field = endpoint.record?.in;
      const [param = ''] = Object.keys(endpoint.params);
      return [operationId, { kind: field ?? param.replace(/Id$/, ''), isWrapped: field !== undefined }];
    }),
);

/** Operations that answer 201. */
const creating = new Set(
  operations.filter(({ endpoint }) => 201 in endpoint.responses).map(({ operationId }) => operationId),
);

/**
 * Operations with answers that clients keep, whatever the answers show. The tag of an answer is the tag of
 * its bytes.
 */
const keptByClients = new Set(
  operations.filter(({ endpoint }) => endpoint.cache).map(({ operationId }) => operationId),
);

/** Subjects of the operations that return records. A token that may not read the subject gets only ids. */
const subjects = new Map(
  operations
    .filter(({ endpoint: { record, batch } }) => record ?? batch)
    .map(({ operationId, endpoint }) => [operationId, endpoint.scope.split(':')[0]]),
);

/** An answer to be read out is no record. */
const recordResponseOf = ({ call }: Plan): RecordResponse | undefined =>
  'endpoint' in call && call.query?.['format'] === undefined ? recordResponses.get(call.endpoint) : undefined;

/** True if the request's token may read the records of the request. */
function mayRead({ plan, scopes }: Request): boolean {
  if (!('endpoint' in plan.call)) return true;
  const subject = subjects.get(plan.call.endpoint);
  return subject === undefined || isGranted(scopes, `${subject}:read`);
}

/**
 * Checks the tag of a response, and that a response without a record has none. Records the tag for later
 * requests. @throws Violation
 */
export function noteTag(world: World, request: Request, response: HttpResponse): void {
  const { plan } = request;
  const { body, headers } = response;
  const form = recordResponseOf(plan);
  const tag = headers['ETag'];
  const isKept = 'endpoint' in plan.call && keptByClients.has(plan.call.endpoint);
  const hasTag = isKept || (form !== undefined && mayRead(request) && !hasIdsAlone(response));
  if (hasTag !== (tag !== undefined)) {
    throw new Violation(
      'A response must have a tag if and only if it shows one record, or clients may keep it',
      hasTag,
      tag,
    );
  }
  if (!form || tag === undefined) return;
  const record = (form.isWrapped ? (body as Fields)[form.kind] : body) as Fields;
  world.tags.note(plan.organization.code, form.kind, { tag, record });
  if (plan.ifNoneMatch?.has(tag)) {
    throw new Violation('A client with the current record must get a 304', 304, tag);
  }
}

/** Full response that a 304 stands for, with the client's copy of the record. @throws Violation */
function expandNotModified({ plan }: Request, { headers, body }: HttpResponse): HttpResponse {
  const record = plan.ifNoneMatch?.recordOf(headers['ETag'] ?? '');
  const form = recordResponseOf(plan);
  if (!record || !form || body !== undefined) {
    throw new Violation('A 304 must have a tag that the client sent, and no body', plan.ifNoneMatch, {
      headers,
      body,
    });
  }
  const known = form.isWrapped ? { [form.kind]: record } : record;
  return { status: 200, body: known, headers, isFromGateway: false };
}

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
  checkNothingErased(world, request, response);
  const window = world.windowOf(request);
  const kept = plan.keyed?.keptFor(request);
  if (response.status === 304) {
    checkSuccess(request, expandNotModified(request, response), world.windowOf(request), allowed);
    return;
  }
  if (response.status < 300 || response.status === 303) {
    checkSuccess(request, response, world.windowOf(request), allowed);
    checkForeign(world, request, response);
    return;
  }
  if (!response.isFromGateway && plan.checkFailure?.(response, { ...request, kept }, window)) return;
  if (response.status >= 500) {
    checkServerError(request, response, allowed);
    return;
  }
  checkForeign(world, request, response);
  if (made.length > 0 && promisesNothing(response)) {
    throw new Violation('A refused request must have stored nothing', 'no commit', {
      response: response.body,
      made,
    });
  }
  if (!allowed.serverErrors) checkRefused(request, response);
  if (isBeingCarriedOut(request, response, window)) return;
  const { existingId } = ((response.body ?? {}) as { error?: Fields }).error ?? {};
  if (!mayRead(request) && (existingId !== undefined || response.headers['ETag'] !== undefined))
    throw new Violation(
      'A client that may not read a record must get neither its id nor its tag',
      {},
      response,
    );
  if (plan.checkRefusal) plan.checkRefusal(response, window);
  else if (!plan.refusals?.(window).includes(response.status))
    throw new Violation('A refusal must be right in the window', plan.refusals?.(window), response);
}

function checkSuccess(
  request: Request,
  response: HttpResponse,
  window: Window,
  { serverErrors: mayFail }: Allowed,
): void {
  const { body, status, headers } = response;
  const { plan, handovers, publishedAt, scopes } = request;
  const kept = plan.keyed?.keptFor(request);
  const isAgain = isReplayed(response) && (!plan.repeated || plan.repeated === 'answersAgain');
  const first = 'endpoint' in plan.call && creating.has(plan.call.endpoint) ? 201 : 200;
  const repeated = { window, kept, mayRead: mayRead(request), status: first };
  if (isAgain && checkReplayed(request, response, repeated) === 'ids') return;
  const made = isAgain && kept ? kept.made : request.made;
  // A read of several items ends its tries before they show one version.
  if (window.isSlow && !plan.store && !plan.isOfOneItem) return;
  const may = (scope: string) => isGranted(scopes, scope);
  plan.check?.(body, window, { made, kept, handovers, publishedAt, status, headers, may, mayFail });
}

function checkServerError(request: Request, response: HttpResponse, { serverErrors }: Allowed): void {
  const { status, body, isFromGateway, headers } = response;
  if (!serverErrors) {
    throw new Violation('Without faults, no request may get a 5xx', 'no 5xx', {
      status,
      body,
      log: request.log,
    });
  }
  if (isFromGateway) return;
  const message = messageOf(body);
  if (status === 503) {
    const { made } = request;
    if (made.length > 0 && promisesNothing(response))
      throw new Violation('A 503 promises that nothing was stored', 'no commit', made);
    if (headers['Retry-After'] === undefined)
      throw new Violation('A 503 must have Retry-After', 'a header', headers);
    return;
  }
  if (status !== 500 || !unknownOutcomes.includes(String(message))) {
    throw new Violation(
      'Faults explain only a 503, or a 500 that reports an unknown outcome',
      unknownOutcomes,
      {
        status,
        body,
        log: request.log,
      },
    );
  }
}

/**
 * True if there was no time to learn the effect of the transaction that stored the key. For an item of a batch: no time
 * to learn whether there was such a transaction.
 */
const isBeingCarriedOut = ({ plan: { keyed } }: Request, { status }: HttpResponse, window: Window): boolean =>
  status === 409 && window.isOutOfTime && keyed !== undefined;

/** `error.message`, or the message of a failed SMS. */
function messageOf(body: unknown): unknown {
  // Of an HTML page, only the presence of the sentence is checked.
  if (typeof body === 'string') return unknownOutcomes.find((sentence) => body.includes(sentence));
  const { error, message } = body as { error?: { message?: unknown }; message?: unknown };
  return error ? error.message : message;
}

/** Checks that an answer shows nothing of a person who was erased before the request began. @throws Violation */
function checkNothingErased({ erased }: World, { plan, startedAt }: Request, { body }: HttpResponse): void {
  const before = erased.filter(
    ({ organization, at }) => organization === plan.organization && at <= startedAt,
  );
  const found = before.length === 0 ? [] : erasedIn(JSON.stringify(body ?? ''), before);
  if (found.length > 0)
    throw new Violation('An answer must show nothing of a person who was erased', [], { found, body });
}

/** Checks that a response contains nothing of another organization, unless the client named it. */
function checkForeign(world: World, { plan }: Request, { body }: HttpResponse): void {
  const text = JSON.stringify(body ?? '');
  for (const code of world.organizations.keys()) {
    if (code !== plan.organization.code && text.includes(code)) {
      throw new Violation(
        'A response must contain nothing of another organization',
        `nothing of ${code}`,
        body,
      );
    }
  }
}
