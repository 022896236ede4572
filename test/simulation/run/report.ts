import { inspect } from 'node:util';
import type { EpisodeResult } from './episode.ts';
import type { Request } from './request.ts';
import type { NotedCommit } from './world.ts';

/** Milliseconds before a request from which the report shows commits. */
const before = 200;
const maxLines = 40;

/** Describes the violation of an episode. The reason comes last, since a terminal shows the end. */
export function reportOf({ world, mix }: EpisodeResult, seed: number, more: string): string {
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
    `At ${clockTime(world.time.now)} of the episode with ${shown(mix)}.`,
    '',
    `Expected: ${shown(violation.expected)}`,
    `Observed: ${shown(violation.observed)}`,
    '',
    `${violation.message}.`,
    `To replay: npm run simulate -- --episode ${seed}${more}`,
    '',
  ].join('\n');
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
