import type { Operation } from '../../../../infra/functions.ts';
import { errorStatuses, takesIfMatch, type Endpoint } from '../../../../shared/contract/endpoint.ts';
import { collectionLabelled, collectionOf } from '../contracts.ts';
import type { Change } from '../model/change.ts';
import { secondEffect } from '../model/keyed.ts';
import { Refused } from '../model/refusal.ts';
import type { TagList } from '../model/tags.ts';
import { uniquesOf } from '../model/uniques.ts';
import type { Window } from '../model/window.ts';
import type { Changing, CompletedProgress, Hint, HttpResponse, Plan, Stage } from '../plan.ts';
import { someId, someIfMatch, someIfNoneMatch, someNumber, type Planner } from '../planner.ts';
import { agrees, same, shows, type Fields } from '../same.ts';
import { Violation } from '../violation.ts';
import { checkBatch } from './batch-check.ts';
import { fieldsOfBody, someBody } from './bodies.ts';
import { somePageOf } from './pages.ts';

/** A record as a path names it. */
interface Named {
  /** Name of its id in the path. */
  param: string;
  /** Undefined if the id is of no collection. */
  collection: string | undefined;
  number: number;
  id: string | number;
}

/** One request, and what it is about. */
interface Asked {
  endpoint: Endpoint;
  hint: Hint;
  path: readonly Named[];
  /** Collection whose record it reads, makes, changes or deletes. */
  collection: string | undefined;
  /** The record that it names; undefined if it makes a record, or is about none. */
  own: { collection: string; number: number } | undefined;
  body: Fields;
  /** Tags in its `If-Match`. */
  tags: TagList | undefined;
}

/** Ids of a path: usually of records that belong together. */
function somePath(planner: Planner, { params }: Endpoint): Named[] {
  const { draw, organization } = planner;
  const path: Named[] = [];
  for (const [param, { label }] of Object.entries(params).reverse()) {
    const collection = collectionLabelled(label);
    const [inner] = path;
    const known = inner?.collection && organization.record(inner.collection, inner.number)?.[param];
    const someOther = () => {
      if (collection === undefined) return draw.whole(1, 4);
      return organization.prefixOf(collection) === ''
        ? someNumber(planner, collection)
        : someId(planner, collection);
    };
    const id = known && !draw.happens(0.05) ? (known as string | number) : someOther();
    path.unshift({ param, collection, id, number: organization.numberOf(collection ?? '', id) });
  }
  return path;
}

/** The record that a request names; undefined if it makes a record, or is about none. */
function ownOf({
  endpoint,
  path,
  collection,
}: Pick<Asked, 'endpoint' | 'path' | 'collection'>): Asked['own'] {
  if (!endpoint.record || collection === undefined) return undefined;
  const last = path.at(-1);
  if (last?.collection === collection) return { collection, number: last.number };
  return endpoint.method === 'POST' ? undefined : { collection, number: 1 };
}

/** Fields of a record that an answer can show: also those in the stored field of the answer's name, such as a schedule. */
const showable = ({ endpoint: { record } }: Pick<Asked, 'endpoint'>, stored: Fields): Fields => ({
  ...stored,
  ...(stored[record?.in ?? ''] as Fields | undefined),
});

/**
 * Plan of an operation that its contract and the collections describe. The records that it stores are taken as they are, and the
 * ledger's items must follow from them.
 *
 * - An answered change can be read until a later change, and a change leaves all that it does not give.
 * - A refusal changes nothing, and has a status that the contract names.
 * - A list has exactly its members.
 * - A unique value has at most one live holder.
 */
export const genericPlan =
  ({ operationId, endpoint }: Operation, hint: Hint = {}) =>
  (planner: Planner): Plan => {
    const { draw, organization } = planner;
    const { method, query, record, params: ids } = endpoint;
    const path = somePath(planner, endpoint);
    const collection = collectionOf(endpoint);
    const own = ownOf({ endpoint, path, collection });
    const kind = record?.in ?? Object.keys(ids).at(-1)?.replace(/Id$/, '') ?? '';
    const ownId = own && organization.publicIdOf(own.collection, own.number);
    const condition = own && takesIfMatch(endpoint) ? someIfMatch(planner, kind, ownId) : undefined;
    const known = own && method === 'GET' ? someIfNoneMatch(planner, kind, ownId) : undefined;
    const body =
      endpoint.body &&
      (hint.wholeBody?.(planner) ?? { ...someBody(planner, endpoint), ...hint.body?.(planner) });
    const asked: Asked = { endpoint, hint, path, collection, own, body: body ?? {}, tags: condition?.tags };
    const params = Object.fromEntries(path.map(({ param, id }) => [param, String(id)]));
    const ofPath = Object.fromEntries(path.map(({ param, id }) => [param, id]));
    const page = query && 'page' in query.entries ? somePageOf(planner, endpoint, ofPath) : undefined;
    const given = page?.query ?? (draw.happens(0.9) ? endpoint.example.query : undefined);
    // Some clients give up, so that others must continue what is not done.
    let patience = draw.happens(0.2) ? 0 : 30;
    return {
      operation: operationId,
      organization,
      call: {
        endpoint: operationId,
        params,
        ...(given && { query: given }),
        ...(body && { body: JSON.stringify(body) }),
        headers: { ...condition?.headers, ...known?.headers },
      },
      ifNoneMatch: known?.tags,
      ...(method !== 'GET' && { stages: (request: Changing) => stagesOf(asked, request) }),
      isInParts: true,
      isOfOneItem: own !== undefined,
      repeated: endpoint.batch ? 'goesOn' : 'answersAgain',
      canBeHidden: (window) => path.some((one) => canMiss(window, one)),
      check: (answer, window, progress) => {
        page?.check(answer, window);
        if (endpoint.batch)
          checkBatch(
            endpoint.batch,
            { items: itemsIn(asked.body), answer: answer as Fields },
            window,
            progress,
          );
        if (record) checkAnswer(asked, answer as Fields, window, progress);
      },
      checkRefusal: (response, window) => {
        checkRefusal(asked, response, window);
      },
      asksAgain: (answer) => (answer as Fields)['done'] === false && patience-- > 0,
    };
  };

/** The next change of a request. A batch may make several changes, and so may what asks again until it is done. */
function stagesOf(asked: Asked, { made, kept }: Changing): Stage[] {
  const { responses, batch } = asked.endpoint;
  const answer = responses[200];
  const isLong =
    batch !== undefined || (answer && 'entries' in answer && 'done' in (answer.entries as object));
  if (made.length > 0 && !isLong) return [];
  return [{ stage: made.length, store: (change) => store(asked, change, kept?.records ?? []) }];
}

/** Takes over what a transaction stores. Returns the record that an answer shows. @throws Refused */
function store(asked: Asked, change: Change, keptBefore: readonly string[]): Fields {
  const { own, tags, endpoint } = asked;
  const before = own && change.get(own.collection, own.number);
  if (before && tags && !tags.fitsSome((record) => shows(showable(asked, before), record)))
    throw new Refused({ status: 412 });
  const records = change.observe();
  const again = change.keptItems.find((at) => keptBefore.some((one) => one.startsWith(`${at}:`)));
  if (again !== undefined) throw secondEffect(keptBefore, again);
  const isNew = ([name, number]: (typeof records)[number]) =>
    name === asked.collection && !change.organization.record(name, number);
  const [collection, number] = own ? [own.collection, own.number] : (records.find(isNew) ?? []);
  const after = collection !== undefined && number !== undefined ? change.get(collection, number) : undefined;
  const isWrong =
    before &&
    (endpoint.method === 'DELETE' ? after !== undefined : after && !leavesOthers(asked, before, after));
  if (isWrong)
    throw new Refused({
      status: 0,
      message: 'a change must leave what it does not give, a deletion nothing',
    });
  const field = endpoint.record?.in;
  if (field !== undefined && after)
    return { [field]: showable(asked, after), ...asked.hint.judge?.(change, asked.body, after) };
  return { stored: storedIn(change, records, endpoint.batch) };
}

/** Items of a batch. */
const itemsIn = (body: Fields): unknown[] => Object.values(body).find((value) => Array.isArray(value)) ?? [];

/** Ids of the records of a batch that a transaction stores. */
const storedIn = (
  { organization }: Change,
  records: readonly [collection: string, number: number][],
  batch: Endpoint['batch'],
): unknown[] =>
  records.flatMap(([collection, number]) =>
    batch && collection === collectionLabelled(batch.in) ? [organization.publicIdOf(collection, number)] : [],
  );

/** True if the fields that a body can give and does not give are as before, or empty: a price goes with its kind. */
function leavesOthers(asked: Asked, before: Fields, after: Fields): boolean {
  const [had, has] = [showable(asked, before), showable(asked, after)];
  const others = fieldsOfBody(asked.endpoint).filter(
    (field) => !(field in asked.body || asked.hint.alsoChanges?.includes(field)),
  );
  return others.every((field) => same(had[field], has[field]) || !has[field]);
}

/** True if a record was missing at some time in the window. */
const canMiss = (window: Window, { collection, number }: Named): boolean =>
  collection === undefined || window.canMiss(collection, number);

/** Checks an answer with one record, or about one that is deleted. @throws Violation */
function checkAnswer(asked: Asked, answer: Fields, window: Window, { made }: CompletedProgress): void {
  const { endpoint, collection, own, body } = asked;
  const { organization } = window;
  if (collection === undefined) return;
  const field = endpoint.record?.in;
  const shown = (field === undefined ? answer : answer[field]) as Fields;
  const number = own?.number ?? organization.numberOf(collection, shown['id']);
  const history = organization.history(organization.nameOf(collection, number));
  if (endpoint.method === 'DELETE') {
    if (history.last) throw new Violation('A deleted record must be gone', undefined, history.last);
    return;
  }
  const last = made.at(-1);
  const stored = last ? [history.at(last.version)?.stored?.fields] : window.records(collection, number);
  const states = stored.flatMap((fields) => (fields ? [showable(asked, fields)] : []));
  if (!states.some((state) => shows(state, shown)))
    throw new Violation('An answer must show the record as it was then', states, shown);
  const { [field ?? '']: _, ...told } = (last?.response ?? {}) as Fields;
  if (last && !agrees(answer, told))
    throw new Violation('An answer must tell what its change meant then', told, answer);
  // Texts may be stored in another form.
  const given = Object.entries(body).filter(([, value]) => ['boolean', 'number'].includes(typeof value));
  const changesNothing = states.some((state) => agrees(state, Object.fromEntries(given)));
  if (last || endpoint.method === 'GET' || (endpoint.method !== 'POST' && changesNothing)) return;
  throw new Violation('A request that stored nothing must change nothing', states, body);
}

/** Checks a refusal by what the contract and the records say. Its sentence is tested elsewhere. @throws Violation */
function checkRefusal(asked: Asked, { status, body }: HttpResponse, window: Window): void {
  const { path, collection, own, tags, endpoint } = asked;
  const { error } = body as { error: { details?: { field: string }[]; existingId?: string | number } };
  const { details: [detail] = [], existingId } = error;
  // 409 is also the answer to a repeat whose first request is still carried out.
  if (!errorStatuses(endpoint).some((one) => one === status || status === 409))
    throw new Violation(
      'A refusal must have a status that the contract names',
      errorStatuses(endpoint),
      body,
    );
  const isOfAnother = path.slice(1).some((inner, at) => {
    const { param, id } = path[at]!;
    const values = inner.collection === undefined ? [] : window.present(inner.collection, inner.number);
    return values.some((value) => param in value && value[param] !== id);
  });
  // Without ids in the path, a record that the body names is missing.
  if (status === 404 && path.length > 0 && !isOfAnother && !path.some((one) => canMiss(window, one)))
    throw new Violation('A record that exists must be found', path, body);
  if (status === 412 && own) {
    const isTagged = (value: Fields | undefined) => {
      const state = value && showable(asked, value);
      // A record may show a part of another one, which can have changed.
      return (
        state &&
        tags?.fitsSome((record) => Object.keys(record).every((name) => name in state) && shows(state, record))
      );
    };
    if (window.records(own.collection, own.number).every(isTagged))
      throw new Violation('A record that has one of the tags must not be refused', tags, body);
  }
  if (existingId === undefined || collection === undefined) return;
  const { organization } = window;
  const holders = window.present(collection, organization.numberOf(collection, existingId));
  const values = holders.flatMap((holder) => uniquesOf(organization, collection, holder));
  if (!values.some(({ field }) => detail?.field.endsWith(field)))
    throw new Violation('A value that is taken must have a holder', values, body);
}
