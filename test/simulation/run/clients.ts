import { takesKey } from '../../../shared/contract/endpoint.ts';
import type { Draw } from './draw.ts';
import type { Pool } from './environment.ts';
import { functions } from './functions.ts';
import type { Gateway } from './gateway.ts';
import { hasIdsAlone, isReplayed } from './key-check.ts';
import type { Conditions } from './conditions.ts';
import { Keyed } from './model/keyed.ts';
import { isGranted } from './model/rules.ts';
import { operate } from './operators.ts';
import { gatewayResponse, type HttpCall, type HttpResponse, type Plan } from './plan.ts';
import type { ClientToken } from './planner.ts';
import { weightedPlans } from './all-plans.ts';
import type { Digest, Figures } from './report.ts';
import { checkResponse, noteTag } from './response-check.ts';
import { Violation } from './violation.ts';
import type { World } from './world.ts';

interface Parts {
  world: World;
  conditions: Conditions;
  draw: Draw;
  gateway: Gateway;
  pools: { functions: Pool; operators: Pool };
  tokens: ClientToken[];
  /** Publishes a notification of the SMS provider. */
  publish: (plan: Plan) => void;
  awaitsOf: () => number;
  digest: Digest;
  figures: Figures;
}

/** Probability that a client uses another token than its organization's first. */
const otherTokens = 0.08;

/** Probability that a client sends the same request twice at once. */
const twice = 0.05;

/** Probability that an erasure in a slow episode is asked for once more, some seconds after it began. */
const erasedAgain = 0.7;

/** Probability that a client sends a request with a key, if its endpoint takes one. */
const withKey = 0.5;

/** Probability that a client sends a request with a key twice at once, or again after its answer. */
const sentAgain = 0.15;

/** Number of requests with a key, per episode, that come again a day later. */
const maxComingAgain = 40;

/** Maximum number of requests under way per environment. */
const maxUnderWay = 3;

export class Clients {
  readonly #parts: Parts;
  readonly #operations: ReturnType<typeof weightedPlans>;
  readonly #first = new Map<string, string>();
  /** Plans with a key that come again a day later. */
  readonly #keyed: Plan[] = [];
  #keys = 0;
  #isStopped = false;
  #underWay = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#operations = weightedPlans(parts.draw, parts.conditions.frequent);
    for (const { organization, token } of parts.tokens) {
      if (!this.#first.has(organization.code)) this.#first.set(organization.code, token);
    }
  }

  /** True if no client waits for a response. */
  get isDone(): boolean {
    return this.#isStopped && this.#underWay === 0;
  }

  begin(): void {
    const { clients } = this.#parts.conditions;
    if ('count' in clients) {
      for (let at = 0; at < clients.count; at++) this.#watch(this.#askOnAndOn(clients.pause));
    } else this.#arrive(clients.perSecond);
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #askOnAndOn(pause: number): Promise<void> {
    const { world, draw } = this.#parts;
    while (!this.#isStopped) {
      await this.#ask();
      if (pause > 0) await world.time.sleep(draw.random() * 2 * pause);
    }
  }

  #arrive(perSecond: number): void {
    const { world, draw } = this.#parts;
    const wait = (-Math.log(1 - draw.random()) * 1000) / perSecond;
    world.time.at(wait, () => {
      if (this.#isStopped) return;
      this.#arrive(perSecond);
      // Like the gateway's own limit: requests above it are refused.
      if (this.#underWay < maxUnderWay * this.#parts.conditions.environments) this.#watch(this.#ask());
    });
  }

  #watch(work: Promise<void>): void {
    this.#underWay++;
    work
      .catch((error: unknown) => {
        this.#parts.world.fail(error);
      })
      .finally(() => {
        this.#underWay--;
      });
  }

  /** Sends one request, sometimes twice. */
  async #ask(): Promise<void> {
    const { world, draw, conditions, tokens } = this.#parts;
    const organizations = [...world.organizations.values()];
    const organization = draw.happens(conditions.hotness) ? organizations[0]! : draw.pick(organizations);
    const { hotness, variety } = conditions;
    const make = draw.weighted(this.#operations);
    const { tags } = world;
    const plan = make({ draw, organization, organizations, hotness, variety, tokens, tags });
    if (canHaveKey(plan) && draw.happens(withKey)) this.#giveKey(plan);
    // Like a form that is submitted twice.
    if (!plan.isInSteps && draw.happens(plan.keyed ? sentAgain : twice)) {
      this.#watch(world.time.sleep(draw.between(0, 12)).then(() => this.#insist(plan)));
    }
    // A second erasure runs beside an erasure that waits for late items.
    if (world.isSlow && plan.erased && draw.happens(erasedAgain))
      this.#watch(world.time.sleep(draw.between(0, 3000)).then(() => this.#insist(plan)));
    await this.#insist(plan);
    if (plan.keyed && draw.happens(sentAgain)) await this.#insist(plan);
  }

  /** Sends requests with a key again, some of them twice at once. Call it once all clients are done. */
  async comeAgain(): Promise<void> {
    const { draw } = this.#parts;
    const all = this.#keyed.flatMap((plan) => (draw.happens(sentAgain) ? [plan, plan] : [plan]));
    await Promise.all(all.map((plan) => this.#insist(plan)));
  }

  /** Sends a plan's requests with a key. The key counts for its token alone, so the token stays the same. */
  #giveKey(plan: Plan): void {
    const { draw } = this.#parts;
    plan.token = this.#tokenFor(plan);
    plan.keyed = new Keyed(`key-${++this.#keys}`);
    if (this.#keyed.length < maxComingAgain) this.#keyed.push(plan);
    else if (draw.happens(maxComingAgain / this.#keys)) this.#keyed[draw.whole(0, maxComingAgain - 1)] = plan;
  }

  /** Call of a plan, with its key: in quotes, as the IETF's draft has it, or without. */
  #callOf(call: HttpCall, { keyed }: Plan): HttpCall {
    if (!keyed) return call;
    const key = this.#parts.draw.happens(0.5) ? `"${keyed.key}"` : keyed.key;
    return { ...call, headers: { ...call.headers, 'Idempotency-Key': key } };
  }

  /** Sends a request, and retries if the response asks for it or a retry may help. */
  async #insist(plan: Plan): Promise<void> {
    const { world, draw } = this.#parts;
    for (let tries = 1; ; tries++) {
      const response = await this.#request(plan);
      if (response.status < 300 && plan.asksAgain?.(response.body) && !this.#isStopped && !world.violation) {
        tries = 0;
        continue;
      }
      const again =
        response.status === 503 || (plan.keyed && response.status === 409 && response.headers['Retry-After'])
          ? Number(response.headers['Retry-After'] ?? 1) * 1000
          : [500, 502, 504].includes(response.status) && draw.happens(plan.keyed ? 0.9 : 0.3)
            ? 200
            : undefined;
      if (again === undefined || tries === 3 || this.#isStopped || world.violation) return;
      await world.time.sleep(again);
    }
  }

  async #request(plan: Plan): Promise<HttpResponse> {
    const { world, figures, digest, conditions } = this.#parts;
    if ('notification' in plan.call) {
      this.#parts.publish(plan);
      return gatewayResponse(202);
    }
    const request = world.newRequest(plan);
    try {
      const response =
        'verb' in plan.call
          ? await operate(this.#parts.world, this.#parts.pools.operators, request, {
              verb: plan.call.verb,
              awaits: this.#parts.awaitsOf(),
            })
          : await this.#parts.gateway.respond(request, this.#callOf(plan.call, plan), this.#tokenFor(plan));
      request.response = response;
      figures.countResponse(plan.operation, response.status);
      if (isReplayed(response)) figures.repeats[hasIdsAlone(response) ? 'ids' : 'whole']++;
      digest.add(`${world.time.now} ${request.number} ${response.status} ${JSON.stringify(response.body)}`);
      const isForbidden = response.status === 401 || response.status === 403;
      if (isForbidden && request.made.length > 0)
        throw new Violation('A forbidden request must store nothing', [], request.made);
      if (!isForbidden)
        checkResponse(world, request, response, { serverErrors: conditions.allowsServerErrors });
      if (response.status < 300) {
        noteTag(world, request, response);
        const erased = plan.erased?.(response.body);
        if (erased !== undefined) world.noteErased(plan.organization, erased);
        plan.then?.(response.body);
      }
      return response;
    } catch (error) {
      world.fail(error, request);
      return gatewayResponse(500);
    } finally {
      world.running.delete(request);
    }
  }

  #tokenFor({ token, organization, call }: Plan): string {
    const { draw, tokens } = this.#parts;
    if (token !== undefined) return token;
    const own = draw.happens(otherTokens)
      ? tokens.filter((known) => known.organization === organization)
      : [];
    // Usually a token with sufficient scopes, even if they allow little more.
    const wanted = 'endpoint' in call ? functions.endpoint(call.endpoint).scope : '';
    const others = draw.happens(0.7) ? own.filter(({ scopes }) => isGranted(scopes, wanted)) : own;
    return others.length > 0 ? draw.pick(others).token : (this.#first.get(organization.code) ?? '');
  }
}

/** True if the model knows what the answer to a repeat with a key is. */
const canHaveKey = ({ call, store, check, repeated }: Plan): boolean =>
  'endpoint' in call &&
  takesKey(functions.endpoint(call.endpoint)) &&
  store !== undefined &&
  (repeated !== undefined || check === undefined);
