import { randomBytes, randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { sentences } from '../../../../shared/contract/errors.ts';
import { scopesWithin, type MemberRole } from '../../../../shared/contract/roles.ts';
import { scopeSubjects, type Scope } from '../../../../shared/contract/scopes.ts';
import { realSystem } from '../../../../shared/core/system.ts';
import { createMember } from '../../../../shared/domain/members/members.ts';
import { updateMember } from '../../../../shared/domain/tokens/change-member.ts';
import type { Expiry } from '../../../../shared/domain/tokens/expiry.ts';
import { hashToken } from '../../../../shared/domain/tokens/token.ts';
import {
  addToken,
  issueToken,
  listTokens,
  revokeToken,
  rotateToken,
  stateOf,
  type ShownToken,
} from '../../../../shared/domain/tokens/tokens.ts';
import { faultyStore } from '../../../support/store/faulty-store.ts';
import { clientAt } from '../../../support/stored-organization.ts';
import { verifyOrganization } from '../../../support/verify-organization.ts';
import {
  limits,
  newOrganization,
  newStore,
  tableAt,
  type TestOrganization,
} from '../../../support/test-organization.ts';
import { events, newConsumedCapacity, type Store } from '../../../../shared/ledger/index.ts';

const start = Date.parse('2026-03-01T00:00:00.000Z');
const hour = 3_600_000;
const day = 24 * hour;
const iso = (time: number) => new Date(time).toISOString();

let ours: TestOrganization;
let theirs: TestOrganization;
beforeEach(async () => {
  [ours, theirs] = await Promise.all([newOrganization(), newOrganization()]);
});

/** An organization's ledger at a time; `calls` are the commands that it sent. */
function at(now: number, { code, userId } = ours) {
  const { store, commands } = faultyStore(() => 'pass', { now: () => now });
  const ledger = store.ledgerOf({
    organization: code,
    userId,
    deadline: now + 60_000,
    capacity: newConsumedCapacity(),
  });
  return { ledger, writes: () => commands.filter((name) => name.startsWith('TransactWrite')).length };
}

const issue = (
  changes: { scopes?: Scope[]; sites?: string[]; expiry?: Expiry; userId?: string; now?: number } = {},
) => {
  const { now = start, ...given } = changes;
  const input = { name: 'Website', mode: 'live', scopes: ['read'], userId: ours.userId, ...given } as const;
  return issueToken(at(now).ledger, input, randomBytes);
};

const grantOf = (token: string, store: Store = newStore()) => store.grantOf(hashToken(token), limits());

const eventsOf = async () =>
  (await at(start).ledger.all(events)).map(({ event, referenceId, userId }) => ({
    event,
    referenceId,
    userId,
  }));

const failureOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('issuing a token', () => {
  test.each<[string, Expiry, string]>([
    ['at a time', { at: start + day }, iso(start + day)],
    ['after a time, counted from its issue', { after: 90 * day }, iso(start + 90 * day)],
    ['no later than dates go', { after: 9000 * 365 * day }, '9999-12-31T23:59:59.999Z'],
  ])('lets it expire %s', async (_, expiry, expiresAt) => {
    const { token, record } = await issue({ expiry });
    expect(record.expiresAt).toBe(expiresAt);
    expect(await grantOf(token)).toMatchObject({ expiresAt });
  });
});

/** Adds a member with a role. Returns the user id. */
const member = async (role: MemberRole) => {
  const person = { firstName: 'Mo', lastName: 'Ali', email: `mo${randomUUID()}@example.com`, role };
  return (await createMember(at(start).ledger, person)).user.id;
};

async function findings() {
  const { tableName } = tableAt();
  const access = { client: clientAt(tableAt()), tableName, system: realSystem };
  return (await verifyOrganization(access, ours.code)).findings;
}

describe('the role of a member', () => {
  const narrow = scopeSubjects.filter((subject) => !['members', 'tokens', 'webhooks'].includes(subject));

  test('bounds what a token grants, and not what its record says', async () => {
    const userId = await member('USER');
    const given: Scope[] = ['read', 'write'];
    const { token, record, granted } = await issue({ userId, scopes: given });
    expect(granted).toEqual(['read', ...narrow.map((subject) => `${subject}:write`)]);
    expect(record.scopes).toEqual(given);
    expect(await grantOf(token)).toMatchObject({ scopes: granted });
    const rotated = await rotateToken(at(start + hour).ledger, record.id, { overlap: day }, randomBytes);
    expect(rotated).toMatchObject({ record: { scopes: given }, granted });
    for (const one of [token, rotated.token]) expect(await grantOf(one)).toMatchObject({ scopes: granted });
  });
});

describe('changing a role', () => {
  const change = (role: MemberRole, id = 2, now = start) => updateMember(at(now).ledger, id, { role });
  const scopesOf = async (token: string) => (await grantOf(token))?.scopes;

  test('rewrites the grants of all tokens that work, in one transaction, and a higher role restores them', async () => {
    const userId = await member('ADMIN');
    const given: Scope[] = ['read', 'write', 'members:write', 'webhooks:create'];
    const issued = [];
    for (const changes of [{}, { expiry: { after: hour } }, {}, { userId: ours.userId }])
      issued.push((await issue({ userId, scopes: given, ...changes })).token);
    const [works, expired, revoked, other] = issued as [string, string, string, string];
    const hook = (await issue({ userId, scopes: ['webhooks:create'] })).token;
    await revokeToken(at(start).ledger, 4);
    const { ledger, writes } = at(start + hour);
    expect(await updateMember(ledger, 2, { role: 'USER' })).toMatchObject({
      member: { role: 'USER', user: { id: userId } },
      before: { role: 'ADMIN' },
      tokens: 2,
    });
    expect(writes()).toBe(1);
    const bounded = scopesWithin('USER', given);
    expect(await Promise.all([works, expired, revoked, other, hook].map(scopesOf))).toEqual([
      bounded,
      given,
      undefined,
      given,
      [],
    ]);
    expect((await at(start).ledger.all(events)).at(-1)).toMatchObject({
      event: 'MEMBER_ROLE_CHANGED',
      data: 'The role of a member changed from ADMIN to USER',
      referenceId: '2',
    });
    expect(await change('USER', 2, start + hour)).toMatchObject({ before: { role: 'USER' }, tokens: 0 });
    await change('OWNER', 2, start + hour);
    expect(await Promise.all([works, hook].map(scopesOf))).toEqual([given, ['webhooks:create']]);
    expect(await findings()).toEqual([]);
  });

  test('beside an issue and a rotation, leaves no token with more than the role allows', async () => {
    const userId = await member('ADMIN');
    for (const [round, role] of (['USER', 'ADMIN', 'USER'] as const).entries()) {
      const { record } = await issue({ userId, scopes: ['read', 'write'] });
      await Promise.all([
        change(role),
        issue({ userId, scopes: ['write'] }),
        rotateToken(at(start).ledger, record.id, { overlap: hour }, randomBytes),
        issue({ userId, scopes: ['write'] }),
      ]);
      expect(await findings(), `round ${round}`).toEqual([]);
    }
  });

  test('no token is issued or rotated for a member who is disabled', async () => {
    const userId = await member('ADMIN');
    const { record } = await issue({ userId });
    await updateMember(at(start).ledger, 2, { isDisabled: true });
    const disabled = { kind: 'conflict', message: sentences.disabledUser };
    expect(await failureOf(issue({ userId }))).toMatchObject(disabled);
    const rotated = rotateToken(at(start).ledger, record.id, { overlap: hour }, randomBytes);
    expect(await failureOf(rotated)).toMatchObject(disabled);
    expect(await findings()).toEqual([]);
  });

  test('is refused while the member has more tokens than a transaction takes', async () => {
    const userId = await member('ADMIN');
    const { ledger } = at(start);
    const input = { name: 'One', mode: 'live', scopes: ['write'], userId, role: 'ADMIN' } as const;
    const { record } = await issue({ userId });
    for (let writes = 0; writes < 3; writes++)
      await ledger.write({}, (write) => {
        for (let count = 0; count < 29; count++) addToken(write, input, randomBytes);
      });
    const tooMany = { kind: 'conflict', message: sentences.tooManyTokens };
    expect(await failureOf(change('USER'))).toMatchObject(tooMany);
    await revokeToken(ledger, record.id);
    expect(await change('USER')).toMatchObject({ tokens: 87 });
  });
});

describe('rotating a token', () => {
  test('issues one like it, and lets it expire after the overlap, in one transaction', async () => {
    const kind = { scopes: ['forms:submit' as const], sites: ['https://a.example', 'https://b.example'] };
    const old = await issue(kind);
    const { ledger, writes } = at(start + hour);
    const { token, record, replaced } = await rotateToken(ledger, 2, { overlap: day }, randomBytes);
    expect(writes()).toBe(1);
    expect(token).toMatch(/^sk_live_/);
    expect(token).not.toBe(old.token);
    expect(record).toEqual({ ...old.record, id: 3, createdAt: iso(start + hour) });
    expect(replaced).toEqual({ ...old.record, expiresAt: iso(start + hour + day), replacedBy: 3 });
    expect((await listTokens(ledger)).slice(1)).toEqual([replaced, record]);
    const granted = { organization: ours.code, userId: ours.userId, ...kind };
    expect(await grantOf(token)).toEqual({ ...granted, tokenId: 3, expiresAt: null });
    expect(await grantOf(old.token)).toEqual({ ...granted, tokenId: 2, expiresAt: replaced.expiresAt });
    expect((await eventsOf()).slice(-2)).toMatchObject([
      { event: 'TOKEN_ISSUED', referenceId: '3' },
      { event: 'TOKEN_ROTATED', referenceId: '2' },
    ]);
  });

  test.each<[string, Expiry | undefined, Expiry | undefined, string | null]>([
    ['never, as the old one', undefined, undefined, null],
    ['after the given lifetime, not never', undefined, { after: 2 * day }, iso(start + hour + 2 * day)],
    ['as long after its issue as the old one', { after: 90 * day }, undefined, iso(start + hour + 90 * day)],
    [
      'after the old one’s lifetime, also if that was given as a time',
      { at: start + 5 * day },
      undefined,
      iso(start + hour + 5 * day),
    ],
    ['at the given time', { after: 90 * day }, { at: start + 9 * day }, iso(start + 9 * day)],
  ])('gives one that expires %s', async (_, given, expiry, expiresAt) => {
    await issue(given && { expiry: given });
    const { ledger } = at(start + hour);
    const { token, record } = await rotateToken(ledger, 2, { overlap: hour, expiry }, randomBytes);
    expect(record.expiresAt).toBe(expiresAt);
    expect(await grantOf(token)).toMatchObject({ expiresAt });
  });

  test('lets the old one end no later than it would have', async () => {
    const old = await issue({ expiry: { after: 2 * hour } });
    const { replaced } = await rotateToken(at(start + hour).ledger, 2, { overlap: day }, randomBytes);
    expect(replaced.expiresAt).toBe(iso(start + 2 * hour));
    expect(await grantOf(old.token)).toMatchObject({ expiresAt: iso(start + 2 * hour) });
  });

  test('is refused for one that was revoked, has expired, or was rotated before', async () => {
    await issue();
    await issue({ expiry: { after: hour } });
    await issue();
    const { ledger, writes } = at(start + hour);
    await revokeToken(ledger, 2);
    await rotateToken(ledger, 4, { overlap: day }, randomBytes);
    const before = await listTokens(ledger);
    for (const [id, reason] of [
      [2, `was revoked at ${iso(start + hour)}; issue a new token`],
      [3, `expired at ${iso(start + hour)}; issue a new token`],
      [4, 'was rotated before; rotate token 5, which takes its place'],
    ] as const)
      expect(await failureOf(rotateToken(ledger, id, { overlap: day }, randomBytes))).toMatchObject({
        kind: 'conflict',
        message: `The token ${reason}`,
      });
    expect(await failureOf(rotateToken(ledger, 99, { overlap: day }, randomBytes))).toMatchObject({
      kind: 'notFound',
    });
    expect(writes()).toBe(2);
    expect(await listTokens(ledger)).toEqual(before);
  });
});

test('tokens of another organization with the same ids stay unchanged', async () => {
  const ledgerOfTheirs = at(start, theirs).ledger;
  const input = { name: 'Website', mode: 'test', scopes: ['write'], userId: theirs.userId } as const;
  const other = await issueToken(ledgerOfTheirs, input, randomBytes);
  const [list, grant] = [await listTokens(ledgerOfTheirs), await grantOf(other.token)];
  expect(grant).toMatchObject({ organization: theirs.code, tokenId: 2 });

  await issue();
  const { ledger } = at(start);
  await revokeToken(ledger, 2);
  await rotateToken(ledger, 1, { overlap: 0 }, randomBytes);

  expect(await listTokens(ledgerOfTheirs)).toEqual(list);
  expect(await grantOf(other.token)).toEqual(grant);
  expect(await grantOf(theirs.token)).toMatchObject({ organization: theirs.code, tokenId: 1 });
});

test.each<[Partial<ShownToken>, string]>([
  [{}, 'active'],
  [{ expiresAt: iso(start + 1) }, 'active'],
  [{ expiresAt: iso(start) }, 'expired'],
  [{ revokedAt: iso(start) }, 'revoked'],
  [{ expiresAt: iso(start), revokedAt: iso(start) }, 'revoked'],
])('a token with %j is %s', async (changes, state) => {
  const [token] = await listTokens(at(start).ledger);
  expect(stateOf({ ...token!, ...changes }, start)).toBe(state);
});
