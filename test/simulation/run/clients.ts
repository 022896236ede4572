import { newConsumedCapacity } from '../../../shared/ledger/internal/consumed-capacity.ts';
import { errorBody, failures } from '../../../shared/contract/errors.ts';
import type { OrganizationCode } from '../../../shared/core/ids.ts';
import type { Ledger } from '../../../shared/ledger/internal/ledger.ts';
import { checkAnswer, checkRefusal } from './answer-check.ts';
import type { Digest } from './digest.ts';
import type { Draw } from './draw.ts';
import type { Figures } from './figures.ts';
import { ownAnswer, type Gateway } from './gateway.ts';
import type { Mix } from './mix.ts';
import type { Plan } from './plan.ts';
import { someMix } from './plans/index.ts';
import type { Pool } from './pool.ts';
import type { Answer, Request } from './request.ts';
import type { KnownToken } from './tokens.ts';
import type { World } from './world.ts';
import { Failure } from '../../../shared/core/failure.ts';

interface Parts {
  world: World;
  mix: Mix;
  draw: Draw;
  gateway: Gateway;
  pools: { functions: Pool; operators: Pool };
  tokens: KnownToken[];
  awaitsOf: () => number;
  digest: Digest;
  figures: Figures;
}

/** How long an operator's command works on, in milliseconds. */
const operatorPatience = 13_500;

/** How likely a client uses another token than its organization's first. */
const otherTokens = 0.04;

/** How likely a client sends the same twice at once. */
const twice = 0.05;

/** How many requests are let in at a time, for each environment. */
const maxUnderWay = 3;

/** The clients and operators of an episode. */
export class Clients {
  readonly #parts: Parts;
  readonly #operations: ReturnType<typeof someMix>;
  readonly #first = new Map<string, string>();
  #isStopped = false;
  #underWay = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#operations = someMix(parts.draw);
    for (const { organization, token } of parts.tokens) this.#first.set(organization.code, token);
  }

  /** Whether nobody asks anything any more. */
  get isDone(): boolean {
    return this.#isStopped && this.#underWay === 0;
  }

  begin(): void {
    const { clients } = this.#parts.mix;
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
      // As with the gateway's own limit: what comes while too much is under way is turned away.
      if (this.#underWay < maxUnderWay * this.#parts.mix.environments) this.#watch(this.#ask());
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

  /** Asks one thing, now and then twice. */
  async #ask(): Promise<void> {
    const { world, draw, mix, tokens } = this.#parts;
    const organizations = [...world.organizations.values()];
    const organization = draw.happens(mix.hotness) ? organizations[0]! : draw.pick(organizations);
    const { hotness, variety } = mix;
    const make = draw.weighted(this.#operations);
    const plan = make({ draw, organization, organizations, hotness, variety, tokens });
    // As a form that is sent twice.
    if (draw.happens(twice)) {
      this.#watch(world.time.sleep(draw.between(0, 12)).then(() => this.#insist(plan)));
    }
    await this.#insist(plan);
  }

  /** Sends a request, and again where the answer says so, or the client hopes so. */
  async #insist(plan: Plan): Promise<void> {
    const { world, draw } = this.#parts;
    for (let tries = 1; ; tries++) {
      const answer = await this.#request(plan);
      const again =
        answer.status === 503
          ? Number(answer.headers['Retry-After'] ?? 1) * 1000
          : [500, 502, 504].includes(answer.status) && draw.happens(0.3)
            ? 200
            : undefined;
      if (again === undefined || tries === 3 || this.#isStopped || world.violation) return;
      await world.time.sleep(again);
    }
  }

  async #request(plan: Plan): Promise<Answer> {
    const { world, figures, digest, mix } = this.#parts;
    const request = world.newRequest(plan);
    try {
      const answer =
        'verb' in plan.call
          ? await this.#operate(request, plan.call.verb)
          : await this.#parts.gateway.answer(request, plan.call, this.#tokenFor(plan));
      request.answer = answer;
      figures.countAnswer(plan.operation, answer.status);
      digest.add(`${world.time.now} ${request.number} ${answer.status} ${JSON.stringify(answer.body)}`);
      if (answer.status === 401 || answer.status === 403) this.#checkForbidden(request, answer);
      else {
        if (plan.refusedBefore) checkRefusal(answer, [plan.refusedBefore]);
        checkAnswer(world, request, answer, { serverErrors: mix.allowsServerErrors });
      }
      if (answer.status < 300) plan.then?.(answer.body);
      return answer;
    } catch (error) {
      world.fail(error, request);
      return ownAnswer(500);
    } finally {
      world.running.delete(request);
    }
  }

  #tokenFor({ token, organization }: Plan): string {
    const { draw, tokens } = this.#parts;
    if (token !== undefined) return token;
    const others = draw.happens(otherTokens)
      ? tokens.filter((known) => known.organization === organization)
      : [];
    return others.length > 0 ? draw.pick(others).token : (this.#first.get(organization.code) ?? '');
  }

  /** The authorizer's answer was checked when it was given; a 403 must be about a scope that the token lacks. */
  #checkForbidden(request: Request, answer: Answer): void {
    if (request.made.length > 0)
      throw new Error(`A request was answered ${answer.status} and stored something`);
  }

  /** Carries out an operator's command in an environment of its own. */
  async #operate(request: Request, verb: (ledger: Ledger) => Promise<unknown>): Promise<Answer> {
    const { world, pools, awaitsOf } = this.#parts;
    const { organization } = request.plan;
    const environment = await pools.operators.take();
    world.start(request, environment.skew);
    request.userId = organization.ownerId;
    const ended = await environment.run(request, awaitsOf(), () =>
      verb(
        environment.store.ledgerOf({
          organization: organization.code as OrganizationCode,
          userId: organization.ownerId,
          deadline: environment.system.now() + operatorPatience,
          capacity: newConsumedCapacity(),
        }),
      ),
    );
    pools.operators.give(environment);
    if (ended.is === 'value') {
      return { status: 200, body: JSON.parse(JSON.stringify(ended.value)), headers: {}, isGateways: false };
    }
    if (ended.is !== 'error') return ownAnswer(502);
    return answerOf(ended.error, request);
  }
}

/** An error of an operator's command, in the form of an answer. */
function answerOf(error: unknown, request: Request): Answer {
  if (!(error instanceof Failure)) {
    request.log = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { status: 500, body: { message: request.log }, headers: {}, isGateways: false };
  }
  const { retryAfter } = error.extras;
  return {
    status: failures[error.kind].status,
    body: JSON.parse(JSON.stringify(errorBody(error, 'operator'))) as unknown,
    headers: retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) },
    isGateways: false,
  };
}
