import type { Operation } from '../../../../infra/functions.ts';
import { errorStatuses, takesIfMatch, type Endpoint } from '../../../../shared/contract/endpoint.ts';
import { foldCase } from '../../../../shared/core/fold-case.ts';
import { collectionLabelled, collectionOf } from '../contracts.ts';
import type { Change } from '../model/change.ts';
import { secondEffect } from '../model/keyed.ts';
import { Refused } from '../model/refusal.ts';
import { numberAtEnd } from '../model/rules.ts';
import type { TagList } from '../model/tags.ts';
import type { Window } from '../model/window.ts';
import type { Changing, CompletedProgress, Hint, HttpResponse, Plan } from '../plan.ts';
import { someId, someIfMatch, someIfNoneMatch, someNumber, type Planner } from '../planner.ts';
import { asShown } from '../records-at.ts';
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

/** One request, and the record or collection that the request is about. */
interface Asked {
  endpoint: Endpoint;
  hint: Hint;
  path: readonly Named[];
  /** Collection of the record that it reads, makes, changes or deletes. */
  collection: string | undefined;
  /** The record that it names; undefined if it makes a record, or is about none. */
  own: { collection: string; number: number } | undefined;
  body: Fields;
  /** Tags in its `If-Match`. */
  tags: TagList | undefined;
}

/** Ids of a path: usually of records that belong together. */
function somePath(planner: Planner, { params }: Endpoint, hint: Hint): Named[] {
  const { draw, organization } = planner;
  const path: Named[] = [];
  for (const [param, { label }] of Object.entries(params).reverse()) {
    const collection = collectionLabelled(label);
    const [inner] = path;
    const known = inner?.collection && organization.record(inner.collection, inner.number)?.[param];
    const someOther = () => {
      if (hint.number && path.length === 0) return hint.number(planner);
      if (collection === undefined) return draw.whole(1, 4);
      return organization.prefixOf(collection) === undefined
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
  return 201 in endpoint.responses ? undefined : { collection, number: 1 };
}

/** Fields of a record that an answer can show: also those in the stored field of the answer's name, such as a schedule. */
const showable = ({ endpoint: { record }, collection = '' }: Asked, stored: Fields): Fields => ({
  ...asShown(collection, stored),
  ...(stored[record?.in ?? ''] as Fields | undefined),
});

/**
 * Plan of an operation that its contract and the collections describe. The plan takes the stored records as given, and
 * the ledger's items must follow from them.
 *
 * - An answered change can be read until a later change, and a change leaves every field that it does not give.
 * - A refusal changes nothing, and has a status that the contract names.
 * - A list has exactly its members.
 * - A unique value has at most one live holder.
 */
export const genericPlan =
  ({ operationId, endpoint }: Operation, hint: Hint = {}) =>
  (planner: Planner): Plan => {
    const { draw, organization } = planner;
    const { method, query, record, params: ids } = endpoint;
    const path = somePath(planner, endpoint, hint);
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
    const given =
      page?.query ??
      hint.query?.(planner, body ?? {}) ??
      (draw.happens(0.9) ? endpoint.example.query : undefined);
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
      ...(method !== 'GET' && {
        store: (change: Change, request: Changing) => store(asked, change, request),
      }),
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
      ...(page?.walk && { isInSteps: true }),
      asksAgain: (answer) =>
        page?.walk?.goesOn((answer as Fields)['nextAfter']) ??
        ((answer as Fields)['done'] === false && patience-- > 0),
    };
  };

/**
 * Takes over what a transaction stores. A batch may make several changes, and so may a request that is asked again
 * until it is done. Returns the record that an answer shows. @throws Refused
 */
function store(asked: Asked, change: Change, { made, kept }: Changing): Fields {
  const { own, tags, endpoint } = asked;
  const answer = endpoint.responses[200];
  const isDone = answer && 'entries' in answer && 'done' in (answer.entries as object);
  if (made.length > 0 && !endpoint.batch && !isDone) throw new Refused('the request has stored its change');
  const before = own && change.get(own.collection, own.number);
  if (before && tags && !tags.fitsSome((record) => shows(showable(asked, before), record)))
    throw new Refused('If-Match does not name the record');
  const records = change.observe();
  const keptBefore = kept?.records ?? [];
  const again = change.keptItems.find((at) => keptBefore.some((one) => one.startsWith(`${at}:`)));
  if (again !== undefined) throw secondEffect(keptBefore, again);
  const ofCollection = records.filter(([name]) => name === asked.collection);
  const isNew = ([name, number]: (typeof records)[number]) => !change.organization.record(name, number);
  const [collection, number] = own
    ? [own.collection, own.number]
    : (ofCollection.find(isNew) ?? ofCollection[0] ?? []);
  const after = collection !== undefined && number !== undefined ? change.get(collection, number) : undefined;
  const isWrong =
    before &&
    (endpoint.method === 'DELETE' ? after !== undefined : after && !leavesOthers(asked, before, after));
  if (isWrong) throw new Refused('a change must leave what it does not give, a deletion nothing');
  const field = endpoint.record?.in;
  const related = after && relatedOf(asked, after);
  if (field !== undefined && after)
    return {
      [field]: showable(asked, after),
      ...asked.hint.judge?.(change, asked.body, after),
      ...(related && { [related.field]: change.get(related.collection, related.number) ?? null }),
    };
  return { stored: storedIn(change, records, endpoint.batch) };
}

/** The record of another subject that an answer about this record has; undefined for none. */
function relatedOf({ endpoint: { related } }: Asked, record: Fields) {
  const id = related && record[`${related.in}Id`];
  const collection = related && collectionLabelled(related.in);
  if (!related || typeof id !== 'string' || collection === undefined) return undefined;
  return { field: related.in, collection, number: numberAtEnd(id) };
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

/**
 * Values of a record that an answer may tell of. A serializable read confirms a change that stores nothing. The read
 * shows nothing older than the version that was decided as the request began.
 */
const valuesFor =
  ({ method }: Endpoint, window: Window) =>
  (...record: readonly [collection: string, number: number]) =>
    method === 'GET' ? window.records(...record) : window.decidedRecords(...record);

/** True for a value that is stored unchanged. Other texts may be stored in another form. */
const isPlain = ([field, value]: [string, unknown]) =>
  field === 'status' || typeof value === 'boolean' || typeof value === 'number';

/** Checks an answer with one record, or about a deleted record. @throws Violation */
function checkAnswer(
  asked: Asked,
  answer: Fields,
  window: Window,
  { made, status }: CompletedProgress,
): void {
  const { endpoint, collection, own, body, hint } = asked;
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
  const valuesOf = (...record: readonly [string, number]) => {
    const name = organization.nameOf(...record);
    return last
      ? [organization.history(name).at(last.version)?.stored?.fields]
      : valuesFor(endpoint, window)(...record);
  };
  const states = valuesOf(collection, number).flatMap((fields) => (fields ? [showable(asked, fields)] : []));
  if (!states.some((state) => shows(state, shown)))
    throw new Violation('An answer must show the record as it was then', states, shown);
  hint.check?.(shown, states, window);
  const related = relatedOf(asked, states[0]!);
  if (related) {
    const values = valuesOf(related.collection, related.number);
    const other = answer[related.field] as Fields | null;
    const isThen = (value: Fields | undefined) =>
      value && other ? shows(asShown(related.collection, value), other) : !value && !other;
    if (!values.some(isThen))
      throw new Violation('An answer must show the related record as it was then', values, other);
  }
  const { [field ?? '']: _, [related?.field ?? '']: __, ...told } = (last?.response ?? {}) as Fields;
  if (last && !agrees(answer, told))
    throw new Violation('An answer must tell what its change meant then', told, answer);
  const isNew = last && !history.at(last.version - 1)?.stored;
  if (status !== (isNew && 201 in endpoint.responses ? 201 : 200))
    throw new Violation('An answer must tell whether it made the record', isNew, status);
  const given = Object.entries(body).filter(isPlain);
  const changesNothing = states.some((state) => agrees(state, Object.fromEntries(given)));
  // A record that is created again under its id in another system is there already, whatever the rest of the
  // body says.
  const isThere =
    endpoint.method === 'POST' ? 200 in endpoint.responses && 201 in endpoint.responses : changesNothing;
  if (last || endpoint.method === 'GET' || isThere) return;
  throw new Violation('A request that stored nothing must change nothing', states, body);
}

/** Checks a refusal by what the contract and the records say. Its sentence is tested elsewhere. @throws Violation */
function checkRefusal(asked: Asked, { status, body }: HttpResponse, window: Window): void {
  const { path, collection, own, tags, endpoint } = asked;
  const { error } = body as { error: { details?: { field: string }[]; existingId?: string | number } };
  const { details: [detail] = [], existingId } = error;
  // A repeat also gets 409 while its first request is still being carried out.
  if (!errorStatuses(endpoint).some((one) => one === status || status === 409))
    throw new Violation(
      'A refusal must have a status that the contract names',
      errorStatuses(endpoint),
      body,
    );
  const valuesOf = valuesFor(endpoint, window);
  const isMissing = ({ collection: of, number }: Named) =>
    of === undefined || valuesOf(of, number).includes(undefined);
  const isOfAnother = path.slice(1).some((inner, at) => {
    const { param, id } = path[at]!;
    const values = inner.collection === undefined ? [] : valuesOf(inner.collection, inner.number);
    return values.some((value) => value && param in value && value[param] !== id);
  });
  // Without ids in the path, a record that the body names is missing.
  if (status === 404 && path.length > 0 && !isOfAnother && !path.some(isMissing))
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
    if (valuesOf(own.collection, own.number).every(isTagged))
      throw new Violation('A record that has one of the tags must not be refused', tags, body);
  }
  if (existingId === undefined || collection === undefined) return;
  const { organization } = window;
  const holders = valuesOf(collection, organization.numberOf(collection, existingId));
  const values = holders.flatMap((holder) => (holder ? organization.uniquesOf(collection, holder) : []));
  const name = detail?.field.split('.').at(-1) ?? '';
  // A record that moves to another category takes its name along.
  const states = name in asked.body || !own ? [asked.body] : valuesOf(own.collection, own.number);
  const given = states.map((state) => foldCase(String(state?.[name])));
  // A phone number is stored in another form, and the address and the types of a webhook as a hash.
  const hasOtherForm = name === 'phone' || name === 'url';
  const isTaken = ({ unique, folded }: (typeof values)[number]) =>
    unique.field === name && (hasOtherForm || given.includes(foldCase(folded)));
  if (!values.some(isTaken)) throw new Violation('A value that is taken must have a holder', values, body);
}
