import type { Kept, Made } from './model/keyed.ts';
import type { Window } from './model/window.ts';
import type { HttpResponse, Request } from './plan.ts';
import { same, type Fields } from './same.ts';
import { Violation } from './violation.ts';

/** True if a response says that the request came before with its key. */
export const isReplayed = ({ headers }: HttpResponse): boolean => headers['Idempotency-Replayed'] === 'true';

/** Ids of the records that a response has. */
const idsIn = (body: unknown): Fields =>
  Object.fromEntries(
    Object.entries((body ?? {}) as Record<string, unknown>).flatMap(([field, record]) =>
      typeof record === 'object' && !Array.isArray(record)
        ? [[field, record && { id: (record as Fields)['id'] }]]
        : [],
    ),
  );

/** True for the answer to a repeat with ids alone, because its records have changed since. */
export const hasIdsAlone = (response: HttpResponse): boolean =>
  isReplayed(response) && same(response.body, idsIn(response.body));

/** Values of a kept record in the window: true for a value that the request made. */
export function areAsMade(record: string, { organization, since }: Window): boolean[] {
  const [, collection = '', number, revision] = /^(?:\d+:)?(\w+)#(\d+)@(\d+)$/.exec(record) ?? [];
  const history = organization.history(organization.nameOf(collection, Number(number)));
  return history.spansSince(since).map(({ from }) => from === Number(revision));
}

/** Milliseconds that an answer takes at most, once the service has asked what is stored with its key. */
const answering = 100;

/** True if a batch must know of a commit of its key: it made that itself, or asked later what its twin has stored. */
export const mustKnow = (commit: Made, made: readonly Made[], { now }: Window): boolean =>
  made.includes(commit) || commit.at < now - answering;

/**
 * Checks the answer to a repeat with a key. The answer has the status of the first answer. The records are those of
 * the first answer, or have their ids alone if one of them has changed or gone since. Returns whether the answer has
 * whole records or ids; the caller compares whole records. @throws Violation
 */
export function checkReplayed(
  request: Request,
  response: HttpResponse,
  {
    window,
    kept,
    mayRead,
    status,
  }: { window: Window; kept: Kept | undefined; mayRead: boolean; status: number },
): 'ids' | 'whole' {
  const [made] = kept?.made ?? [];
  // A request with an unknown outcome is answered as its own repeat.
  if (!kept || !made)
    throw new Violation('Only a stored request with a key may be answered again', 'a commit', request.made);
  const states = kept.records.map((record) => areAsMade(record, window));
  const canBeAsMade = states.every((one) => one.includes(true));
  const canDiffer = states.some((one) => one.includes(false)) || request.plan.canBeHidden?.(window) === true;
  const ids = idsIn(made.response);
  const hasIds = hasIdsAlone(response);
  const isRight = response.status === status && (hasIds ? same(response.body, ids) : canBeAsMade);
  if (!isRight || (hasIds && mayRead && !canDiffer)) {
    throw new Violation(
      'A repeat with a key must be answered as the first request',
      { status, whole: canBeAsMade, ids: canDiffer && ids },
      response,
    );
  }
  return hasIds ? 'ids' : 'whole';
}

/** Checks that a request is not refused if its key had its effect before. @throws Violation */
export function checkRefused(request: Request, { status, body }: HttpResponse): void {
  const kept = request.plan.keyed?.keptFor(request);
  const { existingId } = ((body as Fields | undefined)?.['error'] ?? {}) as Fields;
  const own = (kept?.made ?? []).flatMap(({ response }) => Object.values(idsIn(response)));
  const isOwn = existingId !== undefined && own.some((record) => same(record, { id: existingId }));
  if (kept && (isOwn || (kept.made[0]?.at ?? Infinity) < request.startedAt)) {
    throw new Violation('A repeat with a key must not be refused', kept, { status, body });
  }
}
