import { isDeepStrictEqual } from 'node:util';
import { toItem } from '../../../shared/ledger/internal/attributes.ts';
import type { Commit as DatabaseCommit, CommittedWrite } from '../dynamodb.ts';
import { Change } from './model/change.ts';
import { checkCounts } from './model/counts.ts';
import { attributesOf, inOrder, type Commit } from './model/history.ts';
import { secondEffect, type Kept, type RequestItem } from './model/keyed.ts';
import { OrganizationModel, type Unshown } from './model/organization-model.ts';
import { Refused } from './model/refusal.ts';
import type { HttpResponse, Request } from './plan.ts';
import { checkPrepared, isPrepared } from './prepared-check.ts';
import { same, without, type Fields } from './same.ts';
import { Violation } from './violation.ts';
import type { World } from './world.ts';

const refusals = new Set([400, 401, 403, 404, 409, 412, 413, 415, 429, 503]);

/**
 * True for a response that promises that nothing was or will be stored. False if the request is still being carried
 * out, or if a platform is to repeat its event.
 */
export const promisesNothing = ({ status, headers, body }: HttpResponse): boolean =>
  refusals.has(status) &&
  !(status === 409 && headers['Retry-After'] !== undefined) &&
  !(status === 503 && JSON.stringify(body).includes('Whether the event was stored is not known'));

interface Transaction {
  organization: OrganizationModel;
  at: number;
  before: Fields | undefined;
  head: Fields;
  headWrite: CommittedWrite;
  /** Written items except the head, by name. */
  written: Map<string, { write: CommittedWrite; after: Fields | undefined }>;
}

/**
 * Checks a commit against the model, in the order of the organization's versions, and updates the model.
 * @throws Violation
 */
export function checkCommit(world: World, commit: DatabaseCommit): void {
  if (commit.token === undefined) {
    checkSingleWrite(world, commit);
    return;
  }
  const request = world.requestOf.get(commit.token);
  if (!request) throw new Violation('A commit must belong to a request', 'a request', commit.token);
  const transaction = read(world, commit);
  const { organization, head } = transaction;
  const version = Number(head['version']);
  world.noteCommit({
    organization: organization.code,
    version,
    at: commit.at,
    request: `#${request.number} ${request.plan.operation}`,
    wrote: [...transaction.written.keys()],
  });
  if (organization.code !== request.plan.organization.code) {
    throw new Violation(
      "A commit must be in the request's organization",
      request.plan.organization.code,
      organization.code,
    );
  }
  if (Number(transaction.before?.['version'] ?? 0) !== organization.version) {
    throw new Violation(
      'A commit must follow the one before it',
      organization.version,
      transaction.before?.['version'],
    );
  }
  // The response about an SMS reports only its outcome at the provider.
  const isOfText = request.handovers.length > 0;
  if (request.response && !isOfText && promisesNothing(request.response)) {
    throw new Violation('A request with this response must store nothing, then or later', 'no commit', {
      response: request.response,
      version,
    });
  }
  accept(request, transaction, changeOf(request, transaction));
}

/** True for what webhooks sent: it follows from no version of the organization. */
export const isSent = (pk: string): boolean => /^ORG#\w{8}#(CURSOR|DELIVERY#\d{12}|ANSWER#\d{12})$/.test(pk);

/** True for a write that only notes the use of a token. */
const isUse = ({ key, before, after }: CommittedWrite): boolean =>
  key.pk.startsWith('TOKEN#') &&
  before !== undefined &&
  after !== undefined &&
  isDeepStrictEqual(without(before, 'lastUsedOn'), without(after, 'lastUsedOn'));

/**
 * Checks a write outside a transaction: of a counter of waiting writers, of what webhooks sent, of a prepared text, or of
 * the use of a token.
 */
function checkSingleWrite(world: World, { writes }: DatabaseCommit): void {
  const [write] = writes;
  const pk = write?.key.pk ?? '';
  if (write && isPrepared(pk)) checkPrepared(world, write);
  if (
    !write ||
    writes.length !== 1 ||
    !(pk.endsWith('#TURN') || isSent(pk) || isPrepared(pk) || isUse(write))
  ) {
    throw new Violation(
      'Only what is not in the ledger may be written outside a transaction',
      'a counter',
      pk,
    );
  }
}

function read(world: World, { at, writes }: DatabaseCommit): Transaction {
  const heads = writes.filter(({ key }) => key.sk === 'HEAD');
  const [head] = heads;
  if (heads.length !== 1 || !head?.after)
    throw new Violation('A commit must advance one head', 1, heads.length);
  const code = head.key.pk.slice('ORG#'.length);
  const organization = world.organizationOf(code);
  if (!organization) throw new Violation('A commit must be in a known organization', 'known', code);
  const written = new Map<string, { write: CommittedWrite; after: Fields | undefined }>();
  for (const write of writes) {
    if (write === head) continue;
    const { pk, sk } = write.key;
    if (isSent(pk)) continue;
    if (!/^(TOKEN|NUMBER)#/.test(pk) && !pk.startsWith(`ORG#${code}#`)) {
      throw new Violation('A commit must write only items of its organization', code, pk);
    }
    // Neither old nor new item: nothing was written.
    if (!write.before && !write.after) continue;
    written.set(`${pk} ${sk}`, {
      write,
      after:
        write.after &&
        inOrder(without(toItem(write.after), 'pk', 'sk', ...(pk.startsWith('TOKEN#') ? ['lastUsedOn'] : []))),
    });
  }
  const before = head.before && toItem(head.before);
  return { organization, at, before, head: toItem(head.after), headWrite: head, written };
}

/** Change that a transaction makes. */
interface Fitting {
  change: Change;
  response: unknown;
  /** Item of the request's key, with what is kept from then on; undefined without a key. */
  item: RequestItem | undefined;
  kept: Omit<Kept, 'made'> | undefined;
  keptBefore: Kept | undefined;
}

/** Finds the change of the request that stores what the transaction stores. @throws Violation if none does */
function changeOf(request: Request, transaction: Transaction): Fitting {
  const { number, tokenId, plan } = request;
  const { organization, written, head } = transaction;
  const now = changeTimeOf(request, transaction);
  const keptBefore = plan.keyed?.keptAt(Date.parse(now));
  const isOwn = keptBefore?.made.every((made) => request.made.includes(made)) ?? true;
  if (keptBefore && !isOwn && plan.repeated !== 'goesOn')
    throw secondEffect(keptBefore.records, { version: head['version'], request: number });
  const item = plan.keyed && itemOf(plan.keyed.item, transaction);
  const change = new Change(organization, {
    now,
    userId: request.userId || organization.ownerId,
    sentBy: tokenId === undefined ? {} : { tokenId, requestId: `request-${number}` },
    written: new Map([...written].map(([name, { after }]) => [name, after])),
  });
  let difference: unknown;
  try {
    const response = plan.store?.(change, { ...request, kept: keptBefore });
    const kept = item && change.storeRequest(item, keptBefore);
    change.complete();
    checkCounts(change);
    difference = plan.store && differenceOf(change, transaction);
    if (plan.store && !difference) return { change, response, item, kept, keptBefore };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    difference = error.message;
  }
  throw new Violation('A commit must store what the model says', difference, {
    version: head['version'],
    written: Object.fromEntries([...written].map(([name, { after }]) => [name, after])),
  });
}

/**
 * Item of a request's key. The item is known from an earlier commit, or is new in this transaction. @throws
 * Violation
 */
function itemOf(known: RequestItem | undefined, { organization, written }: Transaction): RequestItem {
  if (known) return known;
  const [name = ''] = [...written.keys()].filter((one) =>
    one.startsWith(`ORG#${organization.code}#REQUEST `),
  );
  const fingerprint = written.get(name)?.after?.['fingerprint'];
  if (name === '' || organization.history(name).last || typeof fingerprint !== 'string')
    throw new Violation('A change with a key must store an item of its own for the key', 'an item', name);
  return { name, fingerprint };
}

/**
 * Time of the change by the writer's clock: the same in all events, and between the request's start and the
 * commit. @throws Violation
 */
function changeTimeOf({ startedAt, skew }: Request, { written, at }: Transaction): string {
  const times = new Set<unknown>();
  for (const [name, { after }] of written) if (name.includes('#EVENT ')) times.add(after?.['createdAt']);
  const [now] = times;
  const [from, to] = [Math.floor(startedAt + skew), Math.floor(at + skew)];
  const time = typeof now === 'string' ? Date.parse(now) : NaN;
  if (times.size !== 1 || !(time >= from && time <= to)) {
    const expected = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
    throw new Violation('All events of a change must have one time, while its request ran', expected, [
      ...times,
    ]);
  }
  return String(now);
}

/** First difference between the model and the transaction; undefined if there is none. */
function differenceOf(change: Change, { written, head, before }: Transaction): unknown {
  if (head['version'] !== change.version) return { version: change.version };
  const { organization } = change;
  const items = [...change.items].filter(([name, { stored }]) => stored ?? organization.history(name).last);
  for (const [name, { stored, record }] of items) {
    const write = written.get(name);
    const revision = record && { revision: change.version };
    const expected = stored && { ...attributesOf(stored), ...revision };
    if (!write || !same(expected, write.after)) return { item: name, expected, observed: write?.after };
  }
  if (written.size !== items.length) {
    return { expected: items.map(([name]) => name), observed: [...written.keys()] };
  }
  return differenceOfHead(change, head, before);
}

function differenceOfHead(change: Change, head: Fields, before: Fields | undefined): unknown {
  const expected = change.headLists;
  if (!same(expected, head['lists'])) return { lists: expected, observed: head['lists'] };
  const revisions = { ...(before?.['revisions'] as Fields | undefined), ...change.notedRevisions };
  if (!same(revisions, head['revisions'] ?? {})) return { revisions, observed: head['revisions'] };
  if (!isKeyKept(head, before)) return { hashKey: before?.['hashKey'], observed: head['hashKey'] };
  const { configuration = 0 } = head;
  if (configuration !== change.configuration)
    return { configuration: change.configuration, observed: configuration };
  const named = namedIn(change);
  if (!same(named, head['named'])) return { named, observed: head['named'] };
  const { epoch } = before ?? head;
  if (head['epoch'] !== epoch) return { epoch, observed: head['epoch'] };
  const kept = before ? before['country'] : change.organization.country;
  return head['country'] === kept ? undefined : { country: kept };
}

/** The records that the head names after a change, such as enabled webhooks; undefined for none. */
function namedIn(change: Change): Fields | undefined {
  const named = change.organization.rules.namedInHead.flatMap((collection) => {
    const { name } = collection;
    const numbers = Array.from({ length: change.next(name) - 1 }, (_, at) => at + 1);
    const those = numbers.filter((number) => {
      const record = change.get(name, number);
      return record && collection.isNamedInHead?.(record);
    });
    return those.length === 0 ? [] : [[name, those.join(' ')]];
  });
  return named.length === 0 ? undefined : (Object.fromEntries(named) as Fields);
}

/** True if the organization's key is unchanged, or made by this change. */
function isKeyKept(head: Fields, before: Fields | undefined): boolean {
  const [known, key] = [before?.['hashKey'], head['hashKey']];
  return key === known || (known === undefined && Buffer.from(String(key), 'base64').length === 32);
}

function accept(
  request: Request,
  { organization, at, headWrite, written }: Transaction,
  { change, response, item: requestItem, kept, keptBefore }: Fitting,
): void {
  const { version } = change;
  organization.belongings.note(change.items);
  organization.configuration = change.configuration;
  const commit: Commit = { version, decidedAt: at, completeAt: Infinity };
  const unshown: Unshown[] = [];
  for (const [name, { write }] of written) {
    const history = organization.history(name);
    const value = history.add(commit, change.items.get(name)?.stored);
    unshown.push({ key: write.key, item: write.after, value, history });
  }
  const { key, after: item } = headWrite;
  const history = organization.history(`${key.pk} ${key.sk}`);
  const value = history.add(commit, { fields: { version } });
  unshown.push({ key, item, value, history });
  change.applyToLists(commit);
  organization.version = version;
  organization.hashKey = item?.['hashKey']?.S ?? '';
  organization.epoch = item?.['epoch']?.S ?? '';
  organization.awaitShown(commit, unshown);
  const made = { version, at, response };
  request.made.push(made);
  request.plan.commits?.push(made);
  if (requestItem && kept)
    request.plan.keyed?.note(requestItem, { ...kept, made: [...(keptBefore?.made ?? []), made] });
}
