import {
  issueToken as issue,
  revokeToken as revoke,
  type NewTokenInput,
} from '../../../../shared/domain/tokens/tokens.ts';
import { sentences } from '../../../../shared/contract/errors.ts';
import { isKeyScope, keyScopes } from '../../../../shared/contract/scopes.ts';
import { changeRole } from '../../../../shared/domain/tokens/change-role.ts';
import { hashToken } from '../../../../shared/domain/tokens/token.ts';
import { createOrganization } from '../../../../shared/domain/organizations/found-organization.ts';
import type { Draw } from '../draw.ts';
import type { Change } from '../model/change.ts';
import { numberAtEnd } from '../model/ids.ts';
import { notFound, Refused } from '../model/refusal.ts';
import { scopesOfRole } from '../model/rules.ts';
import { nothingChanges, once, type Plan, type WeightedPlan } from '../plan.ts';
import { someNumber, type Planner } from '../planner.ts';
import { same, without, type Fields } from '../same.ts';
import { newPipeline } from '../model/pipeline.ts';
import { allDays } from './organization.ts';
import { formSites } from './forms.ts';
import { signingSecret } from './keys.ts';
import { addMember } from './records.ts';
import { Violation } from '../violation.ts';
import { newConsumedCapacity, type Store } from '../../../../shared/ledger/index.ts';

/** A token as an operator sees it. */
const shownToken = (token: Fields) => ({
  ...without(token, 'hash', 'signingSecret'),
  isSigned: 'signingSecret' in token,
});

/** Scopes that the role of its member leaves a token. */
const grantedScopes = (change: Change, { userId, scopes }: Fields) =>
  scopesOfRole(change.get('MEMBER', numberAtEnd(userId))?.['role'], scopes as string[]);

const grantOf = (change: Change, token: Fields): Fields => {
  const { id, userId, sites, signingSecret, expiresAt } = token;
  const [scopes, organization] = [grantedScopes(change, token), change.organization.code];
  return {
    ...{ tokenId: id, userId, scopes, sites, expiresAt, organization },
    ...(signingSecret !== undefined && { signingSecret }),
  };
};

const grantName = (hash: string) => `TOKEN#${hash} TOKEN`;

function addToken(change: Change, input: Fields, expiresAt: string | null): Fields {
  const token = change.append('TOKEN', (id) => ({
    id,
    sites: [],
    ...input,
    hash: change.newHash,
    createdAt: change.now,
    expiresAt,
    revokedAt: null,
    replacedBy: null,
  }));
  change.put(grantName(change.newHash), grantOf(change, token));
  change.event('TOKEN_ISSUED', 'A token was issued', token['id'] as number);
  return token;
}

const inMilliseconds = (now: string, after: number) => new Date(Date.parse(now) + after).toISOString();

/** Expected response with a new token. The token itself is random. */
const issued = (change: Change, record: Fields) => ({
  record: shownToken(record),
  granted: grantedScopes(change, record),
});

/** Checks a response with a new token. Its hash must be the stored one. */
function checkIssued(planner: Pick<Planner, 'organization'>, body: unknown, expected: unknown): void {
  const { token, ...rest } = body as Fields & { token: string };
  const { organization } = planner;
  const id = Number((rest['record'] as Fields)['id']);
  const hash = organization.record('TOKEN', id)?.['hash'];
  if (!same(rest, expected) || hash !== hashToken(token)) {
    throw new Violation('An issued token must be the one that was stored', expected, body);
  }
}

/** Scopes of new tokens: all, some, or those that one job needs. */
const someScopes = [
  ['read', 'write'],
  ['read'],
  ['write'],
  ['leads:create', 'inquiries:create'],
  ['leads:write', 'inquiries:write', 'sms:create'],
  ['inquiries:create', 'inquiries:read', 'leads:create'],
  ['inquiries:write', 'leads:read'],
  ['products:write', 'policies:write', 'transfers:write', 'faqs:create', 'organization:write'],
  ['receptionist:read', 'inquiries:read'],
  ['members:write', 'members:read'],
  ['forms:submit'],
  ['calls:submit'],
  ['receptionist:answer'],
] as const;

/** Member and lifetime, in milliseconds, of a token to issue. */
interface Issuing {
  member: number;
  lifetime?: number | undefined;
}

/** Plan that issues such a token. */
export function issuing(
  planner: Pick<Planner, 'draw' | 'organization' | 'tokens'>,
  given: Omit<NewTokenInput, 'userId' | 'expiry'>,
  { member, lifetime }: Issuing,
): Plan {
  const { draw, organization } = planner;
  const input = { ...given, userId: organization.userId(member) };
  const expiring = { ...input, ...(lifetime && { expiry: { after: lifetime } }) };
  return {
    operation: 'issueToken',
    organization,
    call: { verb: (ledger) => issue(ledger, expiring, draw.randomBytes) },
    stages: once((change) => {
      const user = change.get('MEMBER', member);
      if (!user) throw new Refused(notFound('user'));
      const beyond = given.scopes.filter((scope) => scopesOfRole(user['role'], [scope]).length === 0);
      if (beyond.length > 0) {
        const message = `cannot have ${beyond.join(' and ')}, which no token of a member with the role USER has`;
        throw new Refused({
          status: 400,
          message: `scopes ${message}`,
          details: [{ field: 'scopes', message }],
        });
      }
      const token = addToken(change, { ...input }, lifetime ? inMilliseconds(change.now, lifetime) : null);
      return issued(change, token);
    }),
    check: (body, _window, { made }) => {
      checkIssued(planner, body, made[0]?.response);
    },
    then: (body) => {
      note(planner, body);
    },
  };
}

/** Secret of platforms, as the box of the simulation encrypts it. */
const boxed = ({ organization }: Pick<Planner, 'organization'>) => `${organization.code}:${signingSecret}`;

export function issueToken(planner: Planner): Plan {
  const { draw } = planner;
  const scopes = draw.pick(someScopes);
  const [first, second] = formSites;
  const isForForms = scopes.some((scope) => scope === 'forms:submit');
  const isForPlatforms = scopes.some((scope) => isKeyScope(scope)) && !isForForms;
  const given = {
    name: `Token ${draw.whole(1, 99)}`,
    mode: draw.pick(['live', 'test'] as const),
    scopes,
    ...(isForForms && { sites: draw.happens(0.5) ? [first] : [first, second] }),
    ...(isForPlatforms && draw.happens(0.5) && { signingSecret: boxed(planner) }),
  };
  const lifetime = draw.happens(0.3) ? draw.whole(1000, 60_000) : undefined;
  return issuing(planner, given, { member: someNumber(planner, 'MEMBER'), lifetime });
}

/** Plans in which an operator issues an organization's first key of each kind. */
export const issueFirstKeys = (planner: Pick<Planner, 'draw' | 'organization' | 'tokens'>): Plan[] =>
  keyScopes.map((scope) =>
    issuing(
      planner,
      {
        ...{ name: 'First key', mode: 'live', scopes: [scope] },
        ...(scope === 'forms:submit' && { sites: formSites }),
        ...(scope === 'calls:submit' && planner.draw.happens(0.5) && { signingSecret: boxed(planner) }),
      },
      { member: 1 },
    ),
  );

function note({ tokens, organization }: Pick<Planner, 'tokens' | 'organization'>, body: unknown): void {
  const { token, record } = body as { token: string; record: { id: number; scopes: string[] } };
  tokens.push({ organization, token, id: record.id, scopes: record.scopes });
}

/** Number of a token. Never one of the organization's first ones, which clients and platforms continue to use. */
const someToken = (planner: Planner) => Math.max(2 + keyScopes.length, someNumber(planner, 'TOKEN'));

function revokeIn(change: Change, number: number, token: Fields): Fields {
  const revoked = change.replace('TOKEN', number, { ...token, revokedAt: change.now });
  change.put(grantName(token['hash'] as string), undefined);
  change.event('TOKEN_REVOKED', 'A token was revoked', number);
  return revoked;
}

export function revokeToken(planner: Planner): Plan {
  const { organization } = planner;
  const number = someToken(planner);
  const answer = (token: Fields, revokedBefore: boolean) => ({ record: shownToken(token), revokedBefore });
  return {
    operation: 'revokeToken',
    organization,
    call: { verb: (ledger) => revoke(ledger, number) },
    stages: once((change) => {
      const token = change.get('TOKEN', number);
      if (!token) throw new Refused(notFound('token'));
      if (token['revokedAt'] !== null) throw new Refused(nothingChanges);
      return answer(revokeIn(change, number, token), false);
    }),
    unchanged: (window) =>
      window
        .present('TOKEN', number)
        .filter(({ revokedAt }) => revokedAt !== null)
        .map((token) => answer(token, true)),
  };
}

function changeMemberRole(planner: Planner): Plan {
  const { draw, organization } = planner;
  const number = someNumber(planner, 'MEMBER');
  const role = draw.pick(['USER', 'ADMIN', 'OWNER'] as const);
  return {
    operation: 'changeRole',
    organization,
    call: { verb: (ledger) => changeRole(ledger, number, role) },
    stages: once((change) => {
      const member = change.get('MEMBER', number);
      if (!member) throw new Refused(notFound('member'));
      const { role: before, userId } = member;
      const all = (collection: string) =>
        Array.from({ length: organization.lastOf(collection) }, (_, at) => change.get(collection, at + 1)!);
      if (before === role) throw new Refused(nothingChanges);
      const others = all('MEMBER').filter((other) => other['userId'] !== userId);
      if (before === 'OWNER' && !others.some((other) => other['role'] === 'OWNER'))
        throw new Refused({ status: 409, message: sentences.onlyOwner });
      change.replace('MEMBER', number, { ...member, role });
      const data = `The role of a member changed from ${String(before)} to ${role}`;
      change.event('MEMBER_ROLE_CHANGED', { data, values: { from: before, to: role } }, String(userId));
      const working = all('TOKEN').filter(
        ({ userId: of, revokedAt, expiresAt }) =>
          of === userId && revokedAt === null && (expiresAt === null || (expiresAt as string) > change.now),
      );
      for (const token of working) change.put(grantName(token['hash'] as string), grantOf(change, token));
      return { userId, role, before, tokens: working.length };
    }),
    unchanged: (window) =>
      window
        .present('MEMBER', number)
        .filter((member) => member['role'] === role)
        .map(({ userId }) => ({ userId, role, before: role, tokens: 0 })),
  };
}

/** Plan that founds an organization. Its model begins with the commit. */
export function foundOrganization(draw: Draw, country: string) {
  const owner = { firstName: 'Tess', lastName: 'Owner', email: 'tess@example.com' };
  const token = { name: 'First', mode: 'test', scopes: ['read', 'write', 'members:write'] } as const;
  return {
    found: (store: Store) => {
      const limits = { deadline: Date.now() + 60_000, capacity: newConsumedCapacity() };
      return createOrganization(store, limits, { name: 'Simulated', country, owner, token }, draw);
    },
    store: (change: Change) => {
      const { organization, now } = change;
      const id = `org_${organization.code}`;
      const stamps = { createdAt: now, updatedAt: now };
      change.append('ORGANIZATION', () => ({
        ...{ id, name: 'Simulated', numbers: [], createdAt: now },
        ...{ businessPhone: '', website: '', socials: {}, currency: `${country}D` },
        ...{
          timeFormat: '12h',
          weekStart: 'monday',
          openingHours: allDays(),
          holidays: [],
          onCallHours: allDays(),
          areasServed: [],
        },
      }));
      addMember(change, { ...owner, role: 'OWNER' });
      change.append('PIPELINE', () => newPipeline(country, now));
      change.append('CATEGORY', () => ({ id: 1, name: 'Services', type: 'SERVICE', ...stamps }));
      change.append('CATEGORY', () => ({ id: 2, name: 'Products', type: 'PRODUCT', ...stamps }));
      change.event('ORGANIZATION_CREATED', 'The organization was created', id);
      addToken(change, { ...token, userId: organization.ownerId }, null);
    },
  };
}

export const plans: readonly WeightedPlan[] = [
  [issueToken, 0.7],
  [revokeToken, 0.5],
  [changeMemberRole, 0.7],
];
