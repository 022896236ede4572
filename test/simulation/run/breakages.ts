import { TransactionCanceledException, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { randomUUID } from 'node:crypto';
import { stateName } from '../../../shared/ledger/internal/keys.ts';
import type { VirtualTime } from '../virtual-time.ts';
import { invocations } from './invocation.ts';
import type { Conditions } from './conditions.ts';
import type { HttpCall, HttpResponse } from './plan.ts';
import { isReplayed } from './key-check.ts';
import { without, type Fields } from './same.ts';

/**
 * Ways to break the service between it and DynamoDB, its clients or its queue. The breakages prove that the
 * checks notice.
 */
export const breakages = {
  'head-condition':
    'the head is replaced whatever its version is, and records are added where there are some',
  'record-condition': 'records are replaced whatever their revision is',
  'unique-condition': 'unique values are taken whoever has them',
  'wrong-count': 'the head now and then counts a lead too few',
  'new-token': 'a transaction that is sent again has a new token',
  'lost-reply': 'a lost reply is taken for a refusal',
  'old-reads': 'reads of single items show what they showed some milliseconds ago',
  unconfirmed: 'a serializable read shows what plain reads have just shown',
  'short-query': 'queries leave out an item now and then',
  'uncounted-day': 'the events of a day are not counted',
  'unlisted-status': 'leads join no list of their status',
  'list-condition': 'the state of a list is replaced whatever it is',
  'replaced-holes': 'who leaves a list takes the place of those who left before',
  'lost-holes': 'nobody notes who leaves a list',
  'unread-count': 'the unread inquiries of a lead are not counted',
  'repeated-inquiry': 'an externalInquiryId does not keep a second inquiry out',
  'overwritten-lead': 'a lead that is found for an inquiry loses its name',
  'no-if-match': 'functions do not see If-Match',
  'one-tag': 'all records have the same tag',
  'lost-match': 'a search leaves out the last lead that it has found',
  'short-step': 'a step of a walk leaves out its last record',
  'no-origin': 'functions do not see Origin',
  'repeated-text': 'an SMS that is delivered twice is stored twice',
  'late-text': 'an SMS that came in before an erasure brings the person back',
  'early-removal': 'notifications of the provider leave the queue even if they failed',
  'report-back': 'the final outcome of an SMS can change again',
  'forgotten-opt-out': 'a lead that is new to a number does not know that it has opted out',
  'lost-former': 'deleting a lead leaves no former item',
  'kept-source': "the record of an inquiry's source stays when the inquiry is erased",
  'early-done': 'an erasure does not find what is left of the lead',
  untouched: 'an event leaves out one of the records that its write has touched',
  'key-condition': "the item of a request's key keeps no second effect out",
  'failed-item': 'a batch says that a lead was not stored that was',
  'failed-repeat': 'a repeated batch of products says of a product that it is unchanged',
  'skipped-event': 'the cursor of a webhook moves an event too far now and then',
  'repeated-event': 'the cursor of a webhook moves back now and then',
  'old-body': 'the sender of webhooks reads records as it read them some seconds ago',
  'unseen-lease': 'an erasure does not see that something is being sent',
  'kept-answer': 'what a receiver answered about a lead stays when the lead is erased',
  'no-if-free': 'functions do not see ifFree and ifOffered',
  'kept-booking': 'an appointment that is erased still takes time',
  'unseen-booking': 'availability does not see what is booked',
  'lost-fill': 'an event of a call that is stored already is answered, and not stored',
  'old-prompt': 'a prepared text is taken as current though the configuration has changed since',
} as const;
export type Breakage = keyof typeof breakages;

/** One of these rules must report the breakage. If several rules can report it, chance decides which does. */
const rulesOf: Partial<Record<Breakage, RegExp>> = {
  unconfirmed:
    /^(A record that exists must be found|A value that is taken must have a holder|A request that stored nothing must|An answer must show the record)/,
  'one-tag': /^A tag must stand for one record|must get a 304$/,
  'lost-match': /^A search must/,
  'short-step': /^A walk must show/,
  'early-removal': /^Each SMS that the topic accepted|final status|^A message must have the status/,
  'early-done': /^A finished erasure|^An unfinished erasure/,
  'key-condition': /^Requests with one key must have one effect/,
  'failed-item': /^The result of each batch item/,
  'failed-repeat': /^A batch item reported as unchanged/,
  'skipped-event': /^Every event of a webhook must arrive/,
  'repeated-event': /^A webhook must get no event below the highest/,
  'old-body': /^A webhook must send the record as it is/,
  'unseen-lease': /^Nothing (of an erased person may be sent|that a receiver answered)/,
  'kept-answer': /^Nothing that a receiver answered/,
  'unseen-booking': /^Slots must be free/,
  'lost-fill': /^What an event says of a call must be stored/,
  'old-prompt':
    /^(A prompt must be made of|An assistant must know a state of) (a state of )?the configuration/,
};

/** True if a check of the right rule reported the breakage, and no error of the simulation. */
export const isNoticed = (breakage: Breakage, reported: string | undefined): boolean =>
  reported !== undefined &&
  !reported.startsWith('The simulation met an error') &&
  (rulesOf[breakage]?.test(reported) ?? true);

/** Conditions under which a breakage shows soon. */
export const conditionsThatShow: Partial<Record<Breakage, Partial<Conditions>>> = {
  'record-condition': { hotness: 0.8, frequent: ['updateLead', 'updateInquiry'] },
  'repeated-inquiry': { variety: 5, frequent: ['createInquiry'] },
  'list-condition': {
    hotness: 0.8,
    variety: 5,
    behaviour: { lateApplyChance: 0.2, lateApply: 300 },
    frequent: ['createInquiry', 'updateInquiry'],
  },
  unconfirmed: {
    hotness: 0.8,
    behaviour: { lateApplyChance: 0.2, lateApply: 300 },
    frequent: ['createLead', 'updateLead', 'deleteLead'],
  },
  // Only failed messages are delivered again.
  'early-removal': { deaths: 0.1, allowsServerErrors: true, frequent: ['receiveText'] },
  'forgotten-opt-out': { variety: 5, hotness: 0.8, frequent: ['receiveText', 'createLead', 'createInquiry'] },
  'late-text': { frequent: ['receiveText', 'createLead', 'eraseLead'] },
  'key-condition': { frequent: ['createFaq', 'createLead', 'createService'] },
  'early-done': { frequent: ['eraseLead', 'createInquiry'] },
  'kept-source': { frequent: ['eraseLead', 'createInquiry'] },
  'failed-repeat': { frequent: ['updateProducts', 'createProduct'] },
  'skipped-event': { frequent: ['createWebhook'] },
  'repeated-event': { frequent: ['createWebhook'] },
  'old-body': { hotness: 0.8, frequent: ['createWebhook', 'updateLead'] },
  'unseen-lease': { hotness: 0.8, frequent: ['createWebhook', 'createLead', 'eraseLead'] },
  'kept-answer': { frequent: ['createWebhook', 'createLead', 'eraseLead'] },
  'lost-match': { frequent: ['searchLeads', 'createLead', 'createLeads'] },
  'no-if-free': { frequent: ['createAppointment'] },
  'unseen-booking': { frequent: ['createAppointment', 'createService', 'getAvailability'] },
  'kept-booking': { frequent: ['createAppointment', 'eraseLead', 'createLead'] },
  'lost-fill': { frequent: ['submitCallEvent'] },
  'old-prompt': { frequent: ['getReceptionist', 'updateService', 'createService', 'createFaq', 'updateFaq'] },
};

interface Part {
  Put?: { Item: Record<string, unknown>; ConditionExpression?: string; ExpressionAttributeValues?: object };
  Delete?: { Key: Record<string, unknown>; ConditionExpression?: string; ExpressionAttributeValues?: object };
  Update?: { UpdateExpression: string; ConditionExpression?: string; ExpressionAttributeValues?: Fields };
}

/** Reads that are shown again, and for how many milliseconds. */
const staleTimes: Partial<Record<Breakage, { operation: string; milliseconds: number }>> = {
  'old-reads': { operation: 'GetItem', milliseconds: 40 },
  'old-body': { operation: 'TransactGetItems', milliseconds: 3000 },
};

/** Number of events that a broken write of a cursor is too far. */
const cursorShifts: Partial<Record<Breakage, number>> = { 'skipped-event': 1, 'repeated-event': -3 };

/** Partitions of what receivers of webhooks answered about a lead. */
const ofAnswers = /#ANSWER#\d+$/;

export function breakClient(
  client: DynamoDBClient,
  breakage: Breakage | undefined,
  time: VirtualTime,
): DynamoDBClient {
  if (breakage === undefined) return client;
  const observed = new Map<string, { at: number; output: object }>();
  const seen = new Map<string, { at: number; Item: Fields | undefined }>();
  const configurations = new Map<unknown, unknown>();
  let queries = 0;
  let updates = 0;
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (sent) => {
        // A repeat sends the same object, which must not be altered twice.
        const args = { ...sent, input: structuredClone(sent.input) };
        const input = args.input as { TransactItems?: Part[]; ClientRequestToken?: string };
        if (commandName.startsWith('TransactWriteItems')) {
          if (breakage === 'lost-fill' && fillsCall(input))
            return { output: { $metadata: {} }, response: undefined };
          dropParts(input, breakage);
          alter(input, breakage);
          try {
            return await next(args);
          } catch (error) {
            if (breakage === 'lost-reply' && isLost(error)) throw refusal(input.TransactItems ?? []);
            throw error;
          }
        }
        const { pk: written } = (args.input as { Key?: Record<string, unknown> }).Key ?? {};
        if (
          breakage === 'kept-answer' &&
          commandName.startsWith('UpdateItem') &&
          isOf('eraseLead') &&
          ofAnswers.test(String(written))
        )
          return { output: { $metadata: {} }, response: undefined };
        const shift = cursorShifts[breakage];
        if (shift !== undefined && commandName.startsWith('UpdateItem') && ++updates % 10 === 0) {
          const { ExpressionAttributeValues: values } = args.input as { ExpressionAttributeValues?: Fields };
          if (typeof values?.[':after'] === 'number') values[':after'] += shift;
        }
        const staleFor = staleTimes[breakage];
        const key = JSON.stringify(args.input);
        // A sender that reads an old webhook breaks other rules, too.
        const isStale = breakage !== 'old-body' || (isOf('sendWebhooks') && !key.includes('#WEBHOOK'));
        if (staleFor && isStale && commandName.startsWith(staleFor.operation)) {
          const known = observed.get(key);
          if (known && time.now < known.at + staleFor.milliseconds) {
            return { output: structuredClone(known.output), response: undefined } as never;
          }
          const reply = await next(args);
          observed.set(key, { at: time.now, output: structuredClone(reply.output) });
          return reply;
        }
        if (breakage === 'unconfirmed') {
          const known = (args.input as Snapshot).TransactItems?.map(({ Get }) =>
            seen.get(JSON.stringify(Get?.Key)),
          );
          if (known?.every((one) => one !== undefined && time.now < one.at + 20))
            return {
              output: structuredClone({ $metadata: {}, Responses: known }),
              response: undefined,
            };
        }
        const reply = await next(args);
        if (breakage === 'unconfirmed' && commandName.startsWith('GetItem'))
          seen.set(JSON.stringify((args.input as Read).Key), {
            at: time.now,
            Item: structuredClone((reply.output as { Item?: Fields }).Item),
          });
        const hidden = hiddenItems[breakage];
        if (hidden !== undefined && commandName.startsWith('TransactGetItems')) {
          hideItems(hidden, args.input as Snapshot, reply.output as Snapshot);
        }
        if (breakage === 'unseen-lease') hideLeases(reply.output);
        if (breakage === 'old-prompt') keepConfiguration(configurations, reply.output as { Item?: Fields });
        if (breakage === 'unseen-booking') hideBooked(reply.output);
        if (breakage === 'early-done') hideFromErasure(args.input as Read, reply.output);
        if (breakage === 'report-back' && commandName.startsWith('GetItem')) {
          forgetOutcome(reply.output as { Item?: Record<string, unknown> });
        }
        if (breakage === 'short-query' && commandName.startsWith('Query') && ++queries % 3 === 0) {
          (reply.output as { Items?: unknown[] }).Items?.splice(1, 1);
        }
        return reply;
      },
    { step: 'initialize', priority: 'high', name: 'simulationBreakage' },
  );
  return client;
}

/** Partitions of the records of inquiry sources. */
const ofSource = /#(CALL|EMAIL|CHATBOT|WEBFORM)$/;

/** Removes parts of a transaction. */
function dropParts(input: { TransactItems?: Part[] }, breakage: Breakage): void {
  const { TransactItems = [] } = input;
  const isDropped = ({ Put, Delete, Update }: Part) =>
    (breakage === 'lost-holes' && Update?.UpdateExpression.startsWith('ADD') === true) ||
    (breakage === 'lost-former' && Put !== undefined && isFormer(Put.Item)) ||
    (breakage === 'kept-source' && Delete !== undefined && ofSource.test(String(Delete.Key['pk']))) ||
    (breakage === 'kept-booking' && isOf('eraseLead') && isOfBooked(Put?.Item ?? Delete?.Key ?? {}));
  if (TransactItems.some(isDropped)) input.TransactItems = TransactItems.filter((part) => !isDropped(part));
}

/** True for the key of a deleted lead's remaining item. */
const isFormer = ({ pk, sk }: Record<string, unknown>) =>
  /#LEAD#\d{12}#LIST$/.test(String(pk)) && sk === 'STATE';

/** True for the key of what is booked on a day. */
const isOfBooked = ({ pk }: Record<string, unknown>) => String(pk).endsWith('#BOOKED');

/** True for a call on behalf of this operation. */
const isOf = (operation: string) => invocations.getStore()?.request.plan.operation === operation;

interface Read {
  Key?: Record<string, unknown>;
  TransactItems?: { Get?: { Key: Record<string, unknown> } }[];
}

/** Hides a deleted lead's remaining items from erasures alone. */
function hideFromErasure({ Key, TransactItems = [] }: Read, output: object): void {
  if (!isOf('eraseLead')) return;
  const reply = output as { Item?: unknown; Items?: unknown[]; Responses?: { Item?: unknown }[] };
  if (Key && isFormer(Key)) delete reply.Item;
  reply.Items?.splice(0);
  for (const [at, { Get }] of TransactItems.entries()) {
    if (Get && isFormer(Get.Key)) reply.Responses?.splice(at, 1, {});
  }
}

/** Makes an erasure believe that nobody sends anything. */
function hideLeases(output: object): void {
  if (!isOf('eraseLead')) return;
  for (const item of (output as { Items?: Record<string, unknown>[] }).Items ?? [])
    if ('leaseUntil' in item) item['leaseUntil'] = { N: '0' };
}

/** True for a transaction that changes the data of a call. */
const fillsCall = ({ TransactItems = [] }: { TransactItems?: Part[] }): boolean =>
  TransactItems.some(
    ({ Put }) =>
      String(Put?.Item['pk']).endsWith('#CALL') && Put?.ConditionExpression?.startsWith('revision') === true,
  );

/** Makes a head say that the configuration has not changed since it was first read for a prompt. */
function keepConfiguration(first: Map<unknown, unknown>, { Item }: { Item?: Fields }): void {
  if (!Item || !isOf('getReceptionist') || !('configuration' in Item)) return;
  const name = JSON.stringify(Item['pk']);
  first.set(name, first.get(name) ?? Item['configuration']);
  Item['configuration'] = first.get(name);
}

/** Makes availability believe that nothing is booked. */
function hideBooked(output: object): void {
  const reply = output as { Items?: Record<string, unknown>[] };
  if (isOf('getAvailability')) reply.Items = (reply.Items ?? []).filter((item) => !('booked' in item));
}

function alter(input: { TransactItems?: Part[]; ClientRequestToken?: string }, breakage: Breakage): void {
  const ofInquiry = input.TransactItems?.some(({ Put }) => String(Put?.Item['pk']).endsWith('#INQUIRY'));
  if (breakage === 'new-token') input.ClientRequestToken = randomUUID();
  for (const { Put, Delete, Update } of input.TransactItems ?? []) {
    if (Update) alterUpdate(Update, breakage);
    const part = Put ?? Delete;
    const key = Put?.Item ?? Delete?.Key;
    if (!part || !key) continue;
    const sk = String(key['sk']);
    const { ConditionExpression: condition = '' } = part;
    const isUnique = String(key['pk']).endsWith('#UNIQUE');
    const isOfKey = String(key['pk']).endsWith('#REQUEST');
    const isNew = condition.startsWith('attribute_not_exists');
    const isExternalId = isUnique && sk.startsWith(externalId);
    const isBroken =
      (breakage === 'head-condition' &&
        !isUnique &&
        !isOfKey &&
        /^(version|attribute_not)/.test(condition)) ||
      (breakage === 'record-condition' && condition.startsWith('revision') && !isOfKey) ||
      (breakage === 'unique-condition' && isUnique) ||
      (breakage === 'key-condition' && isOfKey) ||
      (breakage === 'repeated-inquiry' && isExternalId) ||
      (breakage === 'repeated-text' && isUnique && sk.startsWith(providerId));
    if (isBroken) {
      delete part.ConditionExpression;
      delete part.ExpressionAttributeValues;
    }
    if (breakage === 'wrong-count' && sk === 'HEAD' && Put && Number(Put.Item['version']) % 50 === 0) {
      const lists = Put.Item['lists'] as Record<string, string>;
      const ofLeads = stateName({ collection: 'LEAD' });
      if (lists[ofLeads])
        lists[ofLeads] = lists[ofLeads].replace(/^\w+/, (last) =>
          (parseInt(last, 36) - 1).toString(36).toUpperCase(),
        );
    }
    if (Put) {
      const isFound = ofInquiry === true && condition.startsWith('revision');
      alterRecord(Put.Item, breakage, { isFound, isNew });
    }
  }
}

/** Changes an update of a list's state or holes on its way. */
function alterUpdate(update: NonNullable<Part['Update']>, breakage: Breakage): void {
  if (breakage === 'list-condition' && update.ConditionExpression?.includes('#state')) {
    delete update.ConditionExpression;
    delete update.ExpressionAttributeValues?.[':before'];
  }
  if (breakage !== 'replaced-holes') return;
  const [, added, more = ''] = /^ADD (.*?)(?: SET (.*))?$/.exec(update.UpdateExpression) ?? [];
  if (added === undefined) return;
  update.UpdateExpression = `SET ${added.replaceAll(/(#w\d+) (:w\d+)/g, '$1 = $2')}${more && `, ${more}`}`;
}

/** Changes a record on its way. `isFound`: the record is an existing lead that an inquiry is stored with. */
function alterRecord(
  item: Record<string, unknown>,
  breakage: Breakage,
  { isFound, isNew }: { isFound: boolean; isNew: boolean },
): void {
  const pk = String(item['pk']);
  if (breakage === 'untouched' && typeof item['touched'] === 'string') {
    item['touched'] = item['touched'].split(' ').slice(1).join(' ');
  }
  if (breakage === 'uncounted-day' && pk.endsWith('#PIPELINE')) item['days'] = '';
  if (!pk.endsWith('#LEAD')) return;
  if (breakage === 'unlisted-status') {
    delete item['gsi1pk'];
    delete item['gsi1sk'];
  }
  if (breakage === 'unread-count') item['unreadCalls'] = 0;
  if (breakage === 'forgotten-opt-out' && isNew) item['isOptedOut'] = false;
  if (breakage === 'overwritten-lead' && isFound) item['firstName'] = 'Unknown';
}

/** Prefix of the items that hold inquiries' ids of other systems. */
const externalId = 'INQUIRY.externalInquiryId#';
/** Prefix of the items that hold the provider's ids of messages. */
const providerId = 'MESSAGE.providerId#';

/** Items that are hidden: each contains this in its keys. */
const hiddenItems: Partial<Record<Breakage, string>> = {
  'repeated-inquiry': ` ${externalId}`,
  'repeated-text': ` ${providerId}`,
  'late-text': '#ERASED ',
};

interface Snapshot {
  TransactItems?: { Get?: { Key: Record<string, unknown> } }[];
  Responses?: { Item?: unknown }[];
}

/** Makes a message look as if its outcome were unknown. */
function forgetOutcome({ Item }: { Item?: Record<string, unknown> }): void {
  if (Item && /^(UN)?DELIVERED$/.test(String(Item['status']))) Item['status'] = 'UNKNOWN';
}

/** Hides items from a snapshot. */
function hideItems(hidden: string, { TransactItems = [] }: Snapshot, { Responses = [] }: Snapshot): void {
  for (const [at, { Get }] of TransactItems.entries()) {
    const { pk, sk } = Get?.Key ?? {};
    if (`${String(pk)} ${String(sk)}`.includes(hidden)) Responses[at] = {};
  }
}

/** Headers that are lost on the way. */
const hiddenHeaders: Partial<Record<Breakage, string>> = {
  'no-if-match': 'If-Match',
  'no-origin': 'Origin',
};

/** Breaks a call on its way to the function. */
export function breakCall(call: HttpCall, breakage: Breakage | undefined): HttpCall {
  if (breakage === 'no-if-free' && call.body !== undefined && call.endpoint.endsWith('Appointment'))
    return { ...call, body: call.body.replace(/"(ifFree|ifOffered)":true/g, '"$1":false') };
  const hidden = breakage && hiddenHeaders[breakage];
  return hidden !== undefined && call.headers
    ? { ...call, headers: without(call.headers, hidden) as Record<string, string> }
    : call;
}

/** Breaks a response on its way to the client. */
export function breakResponse(
  response: HttpResponse,
  { endpoint, query }: HttpCall,
  breakage: Breakage | undefined,
): HttpResponse {
  const { headers, body } = response;
  if (breakage === 'one-tag' && headers['ETag'] !== undefined) {
    return { ...response, headers: { ...headers, ETag: '"A"' } };
  }
  if (breakage === 'failed-item' && typeof body === 'object')
    return { ...response, body: withFailure(body as Fields, 'lead') };
  if (breakage === 'failed-repeat' && isReplayed(response))
    return { ...response, body: withFailure(body as Fields, 'product') };
  // A cursor of the feed has no points.
  if (breakage === 'short-step' && /[.]/.test(String(query?.['after'])))
    return { ...response, body: withoutLast(body as Fields) };
  const isSearch = endpoint === 'listLeads' && query?.['q'] !== undefined;
  return breakage === 'lost-match' && isSearch
    ? { ...response, body: withoutLast(body as Fields) }
    : response;
}

/** Leaves out the last record of a list. */
const withoutLast = (body: Fields): Fields =>
  Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, Array.isArray(value) ? value.slice(0, -1) : value]),
  );

/** Reports the last stored record of a batch as failed. */
function withFailure(body: Fields, record: 'lead' | 'product'): Fields {
  const { results, summary } = body as { results?: Fields[]; summary?: Fields };
  const last = results?.findLastIndex((result) => result[record] !== undefined) ?? -1;
  if (!results || last < 0) return body;
  const message = 'There was not enough time for this item; nothing of it was changed';
  const { id, index } = results[last]!;
  const failure = { id, index, status: 'error', code: 'INTERNAL_ERROR', message };
  const succeeded = Number(summary?.['succeeded']) - 1;
  const failed = Number(summary?.['failed']) + 1;
  return { results: results.with(last, failure), summary: { total: results.length, succeeded, failed } };
}

const isLost = (error: unknown) =>
  error instanceof Error && ['TimeoutError', 'AbortError', 'InternalServerError'].includes(error.name);

const refusal = (parts: readonly Part[]) =>
  new TransactionCanceledException({
    message: 'Cancelled',
    $metadata: {},
    CancellationReasons: parts.map((_, at) => ({ Code: at === 0 ? 'TransactionConflict' : 'None' })),
  });
