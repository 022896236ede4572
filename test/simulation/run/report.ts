import { inspect } from 'node:util';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { crc32 } from 'node:zlib';
import { findContracts, functionNameOf, pascal } from '../../../infra/functions.ts';
import { root } from '../../../infra/root.ts';
import type { Conditions } from './conditions.ts';
import type { Request } from './plan.ts';
import type { NotedCommit, World } from './world.ts';

const { functions } = await findContracts();

/** Totals of a run. */
export class Figures {
  episodes = 0;
  calls = 0;
  commits = 0;
  conflicts = 0;
  refusals = 0;
  deaths = 0;
  /** Repeats with a key that were answered as the first request, and repeats with ids alone. */
  repeats = { whole: 0, ids: 0 };
  sms = 0;
  notifications = 0;
  redeliveries = 0;
  /** Posts to receivers of webhooks, and messages that were given up. */
  posts = 0;
  givenUp = 0;
  deadLetters = 0;
  readonly requests = new Map<string, Map<number, number>>();

  countResponse(operation: string, status: number): void {
    const byStatus = this.requests.get(operation) ?? new Map<number, number>();
    this.requests.set(operation, byStatus.set(status, (byStatus.get(status) ?? 0) + 1));
  }

  /** Names of the operations that some response reports as carried out. */
  get carriedOut(): string[] {
    return [...this.requests].flatMap(([operation, byStatus]) =>
      [...byStatus.keys()].some((status) => status < 400) ? operation.split(' ')[0]! : [],
    );
  }

  get responses(): number {
    return [...this.requests.values()].reduce(
      (sum, byStatus) => sum + [...byStatus.values()].reduce((one, other) => one + other, 0),
      0,
    );
  }

  /** One line per total. */
  lines(seconds: number): string[] {
    const requests = [...this.requests]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([operation, byStatus]) => {
        const statuses = [...byStatus].sort(([one], [other]) => one - other);
        return `  ${operation.padEnd(34)}${statuses.map(([status, count]) => `${status}: ${count}`).join(', ')}`;
      });
    const perCall = this.calls === 0 ? 0 : (seconds * 1e6) / this.calls;
    return [
      `Requests            ${this.responses}`,
      ...requests,
      `Episodes            ${this.episodes}`,
      `Operations          ${this.calls}`,
      `Committed writes    ${this.commits}`,
      `Conflicts           ${this.conflicts}`,
      `Refused conditions  ${this.refusals}`,
      `Deaths              ${this.deaths}`,
      `Repeats with a key  ${this.repeats.whole}, with ids alone: ${this.repeats.ids}`,
      `SMS                 ${this.sms}`,
      `Notifications       ${this.notifications}`,
      `Redeliveries        ${this.redeliveries}`,
      `Posts to webhooks   ${this.posts}, messages given up: ${this.givenUp}`,
      `Dead letters        ${this.deadLetters}`,
      `Seconds             ${seconds.toFixed(1)} (${perCall.toFixed(0)} µs an operation)`,
    ];
  }
}

/** Hash over everything that a run observes. Two runs with the same digest were the same. */
export class Digest {
  #value = 0;

  add(text: string): void {
    this.#value = crc32(text, this.#value);
  }

  get text(): string {
    return this.#value.toString(16).padStart(8, '0');
  }
}

/** The report shows commits from this number of milliseconds before a request. */
const before = 200;
const maxLines = 40;

/** Describes the violation of an episode. The reason comes last, because a terminal shows the end. */
export function reportOf(
  { world, conditions }: { world: World; conditions: Conditions },
  seed: number,
  more: string,
): string {
  const { violation, request } = world.violation!;
  return [
    'Other requests of that time:',
    ...world.requests
      .filter((other) => other !== request && isNear(other, request, world.time.now))
      .slice(-maxLines)
      .map((other) => `  ${lineOf(other)}`),
    '',
    'Commits of that time:',
    ...world.commits
      .filter((commit) => commit.at >= (request?.startedAt ?? world.time.now) - before)
      .filter(({ organization }) => !request || organization === request.plan.organization.code)
      .slice(-maxLines)
      .map((commit) => `  ${lineOfCommit(commit)}`),
    ...(request ? ['', 'The request:', describe(request)] : []),
    '',
    `At ${clockTime(world.time.now)} of the episode with ${shown(conditions)}.`,
    '',
    `Expected: ${shown(violation.expected)}`,
    `Observed: ${shown(violation.observed)}`,
    '',
    `${violation.message}.`,
    `To open: ${[...(request ? [fileOf(request)] : []), checkOf(violation)].join(', ')}`,
    `To replay: npm run simulate -- --episode ${seed}${more}`,
    '',
  ].join('\n');
}

/** File of the function that served a request, or of an operator's verbs. */
function fileOf({ plan: { call, operation } }: Request): string {
  if ('verb' in call) return 'test/simulation/run/plans/operators.ts';
  const name = 'endpoint' in call ? call.endpoint : operation;
  const served = functions.find((one) => functionNameOf(one) === pascal(name));
  return served?.entry ?? 'functions/workers/receive-texts.ts';
}

/** Place of the check that reported a violation. */
function checkOf({ stack = '' }: Error): string {
  const [, place = ''] = /\((file:.*?\/test\/simulation\/run\/(?!violation).*?):\d+\)/.exec(stack) ?? [];
  const [, file = '', line = ''] = /^(.*):(\d+)$/.exec(place) ?? [];
  return file === '' ? 'test/simulation/run' : `${relative(root, fileURLToPath(file))}:${line}`;
}

const isNear = ({ startedAt, plan }: Request, request: Request | undefined, now: number) =>
  startedAt >= (request?.startedAt ?? now) - before &&
  (!request || plan.organization === request.plan.organization);

function lineOf({ number, plan, startedAt, response, made }: Request): string {
  const versions = made.map(({ version }) => version).join(', ');
  const status = response ? `answered ${response.status}` : 'under way';
  return `#${number} ${plan.operation}, from ${clockTime(startedAt)}, ${status}${versions && `, stored version ${versions}`}`;
}

function describe(request: Request): string {
  const { plan, version, response, log } = request;
  return [
    `  ${lineOf(request)}`,
    `  call: ${'verb' in plan.call ? "an operator's" : shown(plan.call)}`,
    `  organization ${plan.organization.code}, complete to version ${version} at its start, ${plan.organization.version} now`,
    `  response: ${shown(response)}`,
    `  log: ${log.trim()}`,
  ].join('\n');
}

const lineOfCommit = ({ version, at, request, wrote }: NotedCommit) =>
  `version ${version}, decided at ${clockTime(at)}, by ${request}: ${wrote.map((name) => name.replace(/^ORG#\w+#/, '')).join('; ')}`;

const clockTime = (time: number) => new Date(time).toISOString().slice(11, 23);

const shown = (value: unknown) => inspect(value, { depth: 8, breakLength: 150, maxArrayLength: 30 });
