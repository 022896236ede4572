import { findContracts } from '../../../infra/functions.ts';
import { answersRecord } from '../../../shared/contract/endpoint.ts';
import { isGranted } from './model/scopes.ts';
import type { Plan } from './plan.ts';
import type { HttpResponse, Request } from './request.ts';
import type { Fields } from './same.ts';
import { Violation } from './violation.ts';
import type { World } from './world.ts';

/** An operation whose response is one record. */
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

/** Subjects of the operations that return records. A token that may not read the subject gets only ids. */
const subjects = new Map(
  operations
    .filter(({ endpoint: { record, batch } }) => record ?? batch)
    .map(({ operationId, endpoint }) => [operationId, endpoint.scope.split(':')[0]]),
);

const recordResponseOf = ({ call }: Plan): RecordResponse | undefined =>
  'endpoint' in call ? recordResponses.get(call.endpoint) : undefined;

/** True if the request's token may read the records of the request. */
export function mayRead({ plan, scopes }: Request): boolean {
  if (!('endpoint' in plan.call)) return true;
  const subject = subjects.get(plan.call.endpoint);
  return subject === undefined || isGranted(scopes, `${subject}:read`);
}

/** Part of a response that the request's token may see: only the id of a record that it may not read. */
export function visibleBody(request: Request, body: unknown): unknown {
  const record = recordResponseOf(request.plan);
  if (!record || mayRead(request)) return body;
  const { kind, isWrapped } = record;
  const whole = body as Fields;
  const { id } = isWrapped ? (whole[kind] as Fields) : whole;
  return isWrapped ? { ...whole, [kind]: { id } } : { id };
}

/**
 * Checks the tag of a response, and that a response without a record has none. Records the tag for later
 * requests. @throws Violation
 */
export function noteTag(world: World, request: Request, { body, headers }: HttpResponse): void {
  const { plan } = request;
  const form = recordResponseOf(plan);
  const tag = headers['ETag'];
  const hasTag = form !== undefined && mayRead(request);
  if (hasTag !== (tag !== undefined)) {
    throw new Violation('A response must have a tag if and only if it shows one record', {
      expected: hasTag,
      observed: tag,
    });
  }
  if (!form || tag === undefined) return;
  const record = (form.isWrapped ? (body as Fields)[form.kind] : body) as Fields;
  world.tags.note(plan.organization.code, form.kind, { tag, record });
  if (plan.ifNoneMatch?.has(tag)) {
    throw new Violation('A client with the current record must get a 304', {
      expected: 304,
      observed: tag,
    });
  }
}

/** Full response that a 304 stands for, with the client's copy of the record. @throws Violation */
export function expandNotModified({ plan }: Request, { headers, body }: HttpResponse): HttpResponse {
  const record = plan.ifNoneMatch?.recordOf(headers['ETag'] ?? '');
  const form = recordResponseOf(plan);
  if (!record || !form || body !== undefined) {
    throw new Violation('A 304 must have a tag that the client sent, and no body', {
      expected: plan.ifNoneMatch,
      observed: { headers, body },
    });
  }
  const known = form.isWrapped ? { [form.kind]: record } : record;
  return { status: 200, body: known, headers, isFromGateway: false };
}
