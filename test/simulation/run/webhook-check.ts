import { createHmac } from 'node:crypto';
import { toItem } from '../../../shared/ledger/internal/attributes.ts';
import { sortable } from '../../../shared/ledger/internal/keys.ts';
import { isSent } from './commit-check.ts';
import type { OrganizationModel } from './model/organization-model.ts';
import { isGranted } from './model/rules.ts';
import { aboutOf, inOrder, shownEvent } from './plans/event-feed.ts';
import { recordAt } from './records-at.ts';
import { only, same, without, type Fields } from './same.ts';
import { Violation } from './violation.ts';
import { erasedIn, wordsOf, type Erased, type World } from './world.ts';

/** A POST to the receiver of a webhook. */
export interface Post {
  organization: OrganizationModel;
  webhook: number;
  /** Newest version that was completely visible when the function started. */
  since: number;
  headers: Record<string, string>;
  body: string;
}

/** State of a webhook's receiver. */
interface Receiver {
  /** Events that it took. */
  taken: Set<number>;
  /** Highest number of an event that it took, since the last replay. */
  highest: number;
  /** Number of replays that have sent it events again. */
  replays: number;
  /** Versions of the records that it was shown last, by name: each is at least so new. */
  shown: Map<string, number>;
}

/** Checks all that receivers of webhooks get in an episode. */
export class Receipts {
  /** Number of posts. */
  count = 0;
  readonly #world: World;
  readonly #underWay = new Set<Post>();
  readonly #receivers = new Map<string, Receiver>();

  constructor(world: World) {
    this.#world = world;
    world.onErased = (erased) => {
      for (const post of this.#underWay) this.#checkErased(post, [erased]);
      this.checkNothingLeft();
    };
  }

  /** Checks a POST that goes out. @throws Violation */
  begin(post: Post): void {
    this.count++;
    this.#underWay.add(post);
    for (const lead of leadIn(post)) post.organization.beingSent.add(lead);
    this.#checkErased(post, this.#world.erased);
    this.#checkSignature(post);
    this.#checkBody(post);
    this.#checkOrder(post);
  }

  /** Ends a POST. `isTaken`: the receiver answered with success. */
  end(post: Post, isTaken: boolean): void {
    this.#underWay.delete(post);
    for (const lead of leadIn(post)) post.organization.beingSent.delete(lead);
    if (!isTaken) return;
    const receiver = this.#receiverOf(post);
    const id = eventIn(post);
    receiver.taken.add(id);
    receiver.highest = Math.max(receiver.highest, id);
  }

  #receiverOf({ organization, webhook }: Pick<Post, 'organization' | 'webhook'>): Receiver {
    const name = organization.nameOf('WEBHOOK', webhook);
    const receiver = this.#receivers.get(name) ?? {
      taken: new Set(),
      highest: 0,
      replays: 0,
      shown: new Map(),
    };
    this.#receivers.set(name, receiver);
    return receiver;
  }

  #checkErased({ organization, body }: Post, erased: readonly Erased[]): void {
    const found = erasedIn(
      body,
      erased.filter((one) => one.organization === organization),
    );
    if (found.length > 0) throw new Violation('Nothing of an erased person may be sent', [], { found, body });
  }

  /** A secret that the webhook had while the function ran must have signed. */
  #checkSignature({ organization, webhook, since, headers, body }: Post): void {
    const states = statesOf(organization, webhook, since) as { secrets: Fields[] }[];
    const secrets = states.flatMap((state) => state.secrets);
    const parts = [headers['webhook-id'], headers['webhook-timestamp'], body].join('.');
    const right = secrets.map(({ encrypted }) => {
      const key = Buffer.from(String(encrypted).split(':')[1]!.replace('whsec_', ''), 'base64');
      return `v1,${createHmac('sha256', key).update(parts).digest('base64')}`;
    });
    const given = (headers['webhook-signature'] ?? '').split(' ');
    if (!right.some((one) => given.includes(one)))
      throw new Violation('A webhook must be signed with its secret', right, headers);
  }

  /**
   * An event below an event that the receiver took must be sent for a replay, or because somebody asks for that event.
   */
  #checkOrder(post: Post): void {
    const { organization, webhook } = post;
    const receiver = this.#receiverOf(post);
    const id = eventIn(post);
    if (id >= receiver.highest || isAskedFor(organization, webhook, id)) return;
    const replay = statesOf(organization, webhook, 0).find(
      ({ restarts, startAfter }) => Number(restarts) > receiver.replays && Number(startAfter) < id,
    );
    if (!replay) {
      const rule = 'A webhook must get no event below the highest that it accepted, unless somebody asks';
      throw new Violation(rule, receiver.highest, { webhook, id });
    }
    receiver.replays = Number(replay['restarts']);
    receiver.highest = id;
  }

  #checkBody(post: Post): void {
    const { organization, webhook, since, headers, body } = post;
    const { type, timestamp, id, data } = JSON.parse(body) as Fields & { id: number; data: Fields };
    const { record, isThin, ...event } = data as Fields & { record: Fields | null };
    const stored = organization.history(organization.nameOf('EVENT', id)).last?.fields;
    const states = statesOf(organization, webhook, since);
    const expected = states.map((state) => {
      const shown = shownEvent(organization, id, mayOf(organization, state));
      return { ...shown, changed: shown['changed'] };
    });
    const name = String(event['type']).toLowerCase().replace('_', '.');
    const isRight =
      stored !== undefined &&
      expected.some((one) => same(one, { ...event, changed: inOrder(event['changed'] as Fields[]) })) &&
      same({ type, timestamp }, { type: name, timestamp: stored['createdAt'] }) &&
      headers['webhook-id'] === `${organization.code}-${organization.epoch}-${id}`;
    if (!isRight)
      throw new Violation('A webhook must send the event as it is', { expected, stored }, { headers, body });
    const about = aboutOf(String(stored['event']));
    if (!about || isThin) return;
    this.#checkRecord(post, { collection: about[0], id: stored['referenceId'], record });
  }

  /**
   * The record must have a state from the time of the run, and never a state older than the receiver has seen. The
   * shown parts of other records may be of another time.
   */
  #checkRecord(
    post: Post,
    { collection, id, record }: { collection: string; id: unknown; record: Fields | null },
  ): void {
    const { organization, since } = post;
    const number = organization.numberOf(collection, idIn(id));
    const { shown } = this.#receiverOf(post);
    const name = organization.nameOf(collection, number);
    const least = Math.max(since, shown.get(name) ?? 0);
    const states = Array.from({ length: organization.version - least + 1 }, (_, at) =>
      recordAt(organization, least + at, { collection, number }),
    );
    const own = states.findIndex((state) => same(ownPart(state), ownPart(record)));
    if (own >= 0 && states.some((state) => same(otherPart(state), otherPart(record)))) {
      shown.set(name, least + own);
      return;
    }
    throw new Violation('A webhook must send the record as it is', states.at(-1), { record, since, least });
  }

  /** Checks that no answer of a receiver about an erased person is stored. @throws Violation */
  checkNothingLeft(): void {
    for (const attributes of this.#world.database.items()) {
      const { pk, sk, ...item } = toItem(attributes);
      if (!isSent(String(pk))) continue;
      const text = JSON.stringify(item);
      for (const erased of this.#world.erased) {
        const { organization, lead } = erased;
        if (!String(pk).startsWith(`ORG#${organization.code}#`)) continue;
        const isOfLead = String(pk).endsWith(`#ANSWER#${sortable(lead)}`) && !same(item['answers'], []);
        if (isOfLead || wordsOf(erased).some((word) => text.includes(word)))
          throw new Violation('Nothing that a receiver answered about an erased person may be left', [], {
            pk,
            sk,
            item,
          });
      }
    }
  }

  /** Checks that every event of each enabled webhook arrived. @throws Violation */
  checkAllArrived(): void {
    for (const organization of this.#world.organizations.values()) {
      for (let webhook = 1; webhook <= organization.lastOf('WEBHOOK'); webhook++) {
        const last = organization.record('WEBHOOK', webhook);
        if (!last?.['isEnabled']) continue;
        const { taken } = this.#receiverOf({ organization, webhook });
        const missing = this.#expectedOf(organization, webhook).filter((number) => !taken.has(number));
        if (missing.length > 0)
          throw new Violation('Every event of a webhook must arrive', [], { webhook, missing, last });
      }
    }
  }

  /** Events that its receiver must have got, however late each was sent. */
  #expectedOf(organization: OrganizationModel, webhook: number): number[] {
    const states = statesOf(organization, webhook, 0);
    const first = Math.min(...states.map(({ startAfter }) => Number(startAfter)));
    // A replay from a later event leaves out the events between.
    const start = Math.max(
      first,
      ...states.filter(({ restarts }) => Number(restarts) > 0).map(({ startAfter }) => Number(startAfter)),
    );
    const numbers = Array.from({ length: organization.version - start }, (_, at) => start + 1 + at);
    return numbers.filter((number) =>
      statesOf(organization, webhook, number).every((state) => {
        const may = mayOf(organization, state);
        const { event, referenceId } = organization.history(organization.nameOf('EVENT', number)).last!
          .fields;
        // In its place, the webhook gets the event that it asks for.
        if (event === 'WEBHOOK_REDELIVERED' && Number(referenceId) === webhook) return false;
        const about = aboutOf(String(event));
        const { type } = shownEvent(organization, number, may);
        const wanted = state['types'] as string[];
        const name = String(type).toLowerCase().replace('_', '.');
        const isWanted = wanted.some(
          (one) => one === '*' || one === name || (one.endsWith('.*') && name.startsWith(one.slice(0, -1))),
        );
        return isWanted && (!about || may(`${about[1]}:read`));
      }),
    );
  }
}

/** Number of the event that is sent. */
const eventIn = ({ body }: Post) => Number((JSON.parse(body) as Fields)['id']);

/** True if somebody has asked to send an event to a webhook again. */
const isAskedFor = (organization: OrganizationModel, webhook: number, id: number): boolean =>
  Array.from({ length: organization.version }, (_, at) => at + 1).some((number) => {
    const stored = organization.history(organization.nameOf('EVENT', number)).last?.fields;
    const { to } = (stored?.['values'] ?? {}) as { to?: string };
    const isOfWebhook = Number(stored?.['referenceId']) === webhook;
    return stored?.['event'] === 'WEBHOOK_REDELIVERED' && isOfWebhook && Number(to) === id;
  });

/** Id of the lead in the data that is sent, if there is one. */
function leadIn({ body }: Post): string[] {
  const { data } = JSON.parse(body) as { data: { record?: Fields | null } };
  const { id, leadId = id } = data.record ?? {};
  return String(leadId).startsWith('lead_') ? [String(leadId)] : [];
}

/** States of a webhook from a version on. */
const statesOf = (organization: OrganizationModel, webhook: number, since: number): Fields[] =>
  organization
    .history(organization.nameOf('WEBHOOK', webhook))
    .spansFrom(since)
    .flatMap(({ stored }) => (stored ? [stored.fields] : []));

/** Tells what the token of a webhook may. */
function mayOf(organization: OrganizationModel, { tokenId }: Fields): (scope: string) => boolean {
  const { scopes = [] } = (organization.record('TOKEN', Number(tokenId)) ?? {}) as { scopes?: string[] };
  return (scope) => isGranted(scopes, scope);
}

/** Fields of a record that show other records: an inquiry's messages, a service's scenario. */
const others = ['data', 'scenario'];
const ownPart = (record: Fields | null) => record && without(record, ...others);
const otherPart = (record: Fields | null) => record && only(record, ...others);

const idIn = (id: unknown) => (Number.isNaN(Number(id)) ? id : Number(id));
