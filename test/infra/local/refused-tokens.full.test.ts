import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { MachineClock } from '../../../infra/local/clock.ts';
import { costOf } from '../../../infra/local/functions/cost.ts';
import type { HttpRequest } from '../../../infra/local/gateway/http-message.ts';
import { agentAddressHeader } from '../../../shared/contract/agents.ts';
import type { Scope } from '../../../shared/contract/scopes.ts';
import { createMember } from '../../../shared/domain/members/members.ts';
import { updateMember } from '../../../shared/domain/tokens/change-member.ts';
import { newToken as madeUpToken } from '../../../shared/domain/tokens/token.ts';
import { ownMachine } from '../../support/own-machine.ts';
import { foundOrganizationAt } from '../../support/stored-organization.ts';

/** Limit of refused tokens a minute, on a machine with a clock that the test moves. */
const refusedTokens = 5;
const settings = { refusedTokensPerAddressPerMinute: String(refusedTokens) };
const clock = new MachineClock();
const { machine, table } = await ownMachine({ settings, clock });

const found = () => foundOrganizationAt(table);

/** The moment of all requests, which only a test moves: on a slow machine they take longer than a minute. */
let now = clock.now();
const toNextMinute = () => {
  now += 60_000 - (now % 60_000);
};
const answer = (request: HttpRequest) => {
  clock.moveBy(now - clock.now());
  return machine.answer(request);
};

/** Number of agents with refused tokens from one address of the function for agents. */
const agents = 100;

test('agents that come by one address have a limit each, and the address a larger one', async () => {
  const organization = await found();
  const issue = () => organization.issueToken({ scopes: ['read'] });
  toNextMinute();
  const send = async (token: string, agent: string, sourceIp = '192.0.2.20') => {
    const headers: [string, string][] = [
      ['authorization', `Bearer ${token}`],
      [agentAddressHeader, agent],
    ];
    const request = { method: 'GET', target: '/v1/leads', headers, body: Buffer.from(''), sourceIp };
    const { status, outcomes } = await answer(request);
    return [status, costOf(outcomes).authorizer.readUnits];
  };
  const makeUp = (agent: string) => send(madeUpToken('test', randomBytes), agent);
  for (let at = 0; at < refusedTokens; at++) expect(await makeUp('203.0.113.1')).toEqual([401, 1]);
  expect(await makeUp('203.0.113.1')).toEqual([401, 0]);
  // The same address lets another agent in, and another address lets this agent in.
  expect(await send(await issue(), '203.0.113.2')).toEqual([200, 1]);
  expect(await send(await issue(), '203.0.113.1', '192.0.2.21')).toEqual([200, 1]);
  // Whoever makes up agents, too, comes to the limit of the address.
  for (let agent = 1; agent < agents; agent++)
    for (let at = 0; at < refusedTokens; at++) await makeUp(`2001:db8:${agent}::1`);
  expect(await makeUp('203.0.113.3')).toEqual([401, 0]);
});

describe.each<[string, Scope[], (token: string) => Pick<HttpRequest, 'method' | 'target' | 'headers'>]>([
  [
    'in the header',
    ['read'],
    (token) => ({ method: 'GET', target: '/v1/leads', headers: [['authorization', `Bearer ${token}`]] }),
  ],
  [
    'as a key',
    ['forms:submit'],
    (key) => ({ method: 'POST', target: `/v1/forms/submissions?key=${key}`, headers: [] }),
  ],
])('an address that makes up tokens with a right checksum %s', (_, scopes, requestOf) => {
  const robot = '192.0.2.10';
  /** Sends a request with a token. Returns whether it was allowed, and the number of reads. */
  const send = async (token: string, sourceIp = robot) => {
    const request = { ...requestOf(token), body: Buffer.from('{"name":"Ann"}'), sourceIp };
    const { status, outcomes } = await answer(request);
    return [status < 300 ? 'let in' : status, costOf(outcomes).authorizer.readUnits];
  };
  const newOnes = async (number: number) => {
    const organization = await found();
    return Promise.all(Array.from({ length: number }, () => organization.issueToken({ scopes })));
  };

  test('costs a few reads a minute, and blocks neither known tokens nor other addresses', async () => {
    const [known = '', fresh = '', later = ''] = await newOnes(3);
    expect(await send(known)).toEqual(['let in', 1]);
    toNextMinute();
    toNextMinute();
    const madeUp = Array.from({ length: refusedTokens + 3 }, () => madeUpToken('test', randomBytes));
    // The same invalid token counts once.
    for (let at = 0; at <= refusedTokens; at++) await send(madeUp[0]!);
    const seen: unknown[] = [];
    for (const token of madeUp.slice(1)) seen.push(await send(token));
    expect(seen).toEqual([
      ...Array<unknown>(refusedTokens - 1).fill([401, 1]),
      ...Array<unknown>(3).fill([401, 0]),
    ]);
    expect(await send(fresh)).toEqual([401, 0]);
    expect(await send(known)).toEqual(['let in', 1]);
    expect(await send(fresh, '192.0.2.11')).toEqual(['let in', 1]);
    toNextMinute();
    expect(await send(later)).toEqual(['let in', 1]);
  });
});

test('a token of a disabled member is refused once the cache of the authorizer has expired', async () => {
  const organization = await found();
  const { ledger } = organization.openLedger();
  const person = { firstName: 'Max', lastName: 'Tran', email: 'max@example.com' };
  const { id, user } = await createMember(ledger, person);
  const token = await organization.issueToken({ userId: user.id, role: 'USER', scopes: ['read'] });
  const headers: [string, string][] = [['authorization', `Bearer ${token}`]];
  const request = { method: 'GET', target: '/v1/leads', headers, body: Buffer.from(''), sourceIp: '::1' };
  const status = async () => (await answer(request)).status;
  expect(await status()).toBe(200);
  await updateMember(ledger, id, { isDisabled: true });
  now += 59_000;
  expect(await status()).toBe(200);
  now += 2_000;
  expect(await status()).toBe(401);
});
