import { keyScopes, isKeyScope } from '../../../../shared/contract/scopes.ts';
import { createMember as storeMember } from '../../../../shared/domain/members/members.ts';
import {
  addNumber as storeNumber,
  removeNumber as dropNumber,
} from '../../../../shared/domain/numbers/numbers.ts';
import { createOrganization } from '../../../../shared/domain/organizations/found-organization.ts';
import { updateMember } from '../../../../shared/domain/tokens/change-member.ts';
import {
  issueToken as issue,
  ownersScopes,
  revokeToken as revoke,
  type NewTokenInput,
} from '../../../../shared/domain/tokens/tokens.ts';
import { newConsumedCapacity, type Ledger, type Store } from '../../../../shared/ledger/index.ts';
import type { Draw } from '../draw.ts';
import { once, type Plan, type WeightedPlan } from '../plan.ts';
import { someNumber, type Planner } from '../planner.ts';
import { formSites } from './forms.ts';
import { signingSecret } from './keys.ts';

type OfOrganization = Pick<Planner, 'organization'>;

/**
 * Plan of an operator's verb. The plan takes the stored items as given, and `verify` judges them in the end.
 */
export const operating = (
  operation: string,
  { organization }: OfOrganization,
  verb: (ledger: Ledger) => Promise<unknown>,
): Plan & { call: { verb: unknown } } => ({
  operation,
  organization,
  call: { verb },
  store: once((change) => void change.observe()),
  check: () => undefined,
  checkRefusal: () => undefined,
});

/** Name of the item with the owner of a number. */
export const numberName = (number: string) => `NUMBER#${number} NUMBER`;

/**
 * Numbers of an organization. The organization always has the first; an operator adds and removes the second.
 */
export function numbersFor({ organization, organizations }: Pick<Planner, 'organization' | 'organizations'>) {
  const at = organizations.indexOf(organization);
  return [`+6125550${at}001`, `+6125550${at}002`] as const;
}

/** Plan that adds a number. `name` is the start of its ARN. */
export const adding = (of: OfOrganization, number: string, name = 'phone') =>
  operating('addNumber', of, (ledger) =>
    storeNumber(ledger, {
      number,
      arn: `arn:aws:sms-voice:us-east-1:000000000000:phone-number/${name}-${number.slice(1)}`,
    }),
  );

/** Adds the organization's second number, or another organization's number. */
function addNumber(planner: Planner): Plan {
  const { draw, organizations } = planner;
  const [first, second] = numbersFor(planner);
  const [others] = numbersFor({ ...planner, organization: draw.pick(organizations) });
  const number = draw.weighted([
    [second, 6],
    [first, 1],
    [others, 1],
  ]);
  return adding(planner, number, draw.pick(['phone', 'phone', 'port']));
}

/** Removes the second number. SMS to it wait until it is back. */
const removeNumber = (planner: Planner): Plan =>
  operating('removeNumber', planner, (ledger) => dropNumber(ledger, numbersFor(planner)[1]));

function createMember(planner: Planner): Plan {
  const email = `max${planner.draw.whole(1, 99)}@example.com`;
  return operating('createMember', planner, (ledger) =>
    storeMember(ledger, { firstName: 'Max', lastName: 'Tran', email }),
  );
}

function changeMemberRole(planner: Planner): Plan {
  const [member, role] = [
    someNumber(planner, 'MEMBER'),
    planner.draw.pick(['USER', 'ADMIN', 'OWNER'] as const),
  ];
  return operating('changeRole', planner, (ledger) => updateMember(ledger, member, { role }));
}

/** Scopes of new tokens: all, some, or the scopes that one job needs. */
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
  ['tokens:write', 'read', 'write'],
  ...keyScopes.map((scope) => [scope]),
] as const;

type Issuer = Pick<Planner, 'draw' | 'organization' | 'tokens'>;

/** Plan that issues a token to a member, which clients then use. */
function issuing(issuer: Issuer, given: Omit<NewTokenInput, 'userId'>, member: number): Plan {
  const { draw, organization, tokens } = issuer;
  const input = { ...given, userId: organization.userId(member) };
  return {
    ...operating('issueToken', issuer, (ledger) => issue(ledger, input, draw.randomBytes)),
    then: (body) => {
      const { token, record } = body as { token: string; record: { id: number; scopes: string[] } };
      tokens.push({ organization, token, id: record.id, scopes: record.scopes });
    },
  };
}

/** Secret of platforms, as the box of the simulation encrypts it. */
const boxed = ({ organization }: OfOrganization) => `${organization.code}:${signingSecret}`;

function issueToken(planner: Planner): Plan {
  const { draw } = planner;
  const scopes = draw.pick(someScopes);
  const isForForms = scopes.includes('forms:submit' as never);
  const isForPlatforms = scopes.some((scope) => isKeyScope(scope)) && !isForForms;
  const given = {
    name: `Token ${draw.whole(1, 99)}`,
    mode: draw.pick(['live', 'test'] as const),
    scopes,
    ...(isForForms && { sites: draw.happens(0.5) ? formSites.slice(0, 1) : formSites }),
    ...(isForPlatforms && draw.happens(0.5) && { signingSecret: boxed(planner) }),
    ...(draw.happens(0.3) && { expiry: { after: draw.whole(1000, 60_000) } }),
  };
  return issuing(planner, given, someNumber(planner, 'MEMBER'));
}

/** Plans of an operator who issues an organization's first key of each kind. */
export const issueFirstKeys = (issuer: Issuer): Plan[] =>
  keyScopes.map((scope) => {
    const sites = scope === 'forms:submit' && { sites: formSites };
    const secret = scope === 'calls:submit' && issuer.draw.happens(0.5) && { signingSecret: boxed(issuer) };
    return issuing(issuer, { name: 'First key', mode: 'live', scopes: [scope], ...sites, ...secret }, 1);
  });

/** Revokes a token: never one of the first ones, which clients and platforms continue to use. */
function revokeToken(planner: Planner): Plan {
  const number = Math.max(2 + keyScopes.length, someNumber(planner, 'TOKEN'));
  return operating('revokeToken', planner, (ledger) => revoke(ledger, number));
}

/** Founds an organization. Its model begins with the commit. */
export function foundOrganization(store: Store, draw: Draw, country: string) {
  const owner = { firstName: 'Tess', lastName: 'Owner', email: 'tess@example.com' };
  const token = { name: 'First', mode: 'test', scopes: ownersScopes } as const;
  const limits = { deadline: Date.now() + 60_000, capacity: newConsumedCapacity() };
  return createOrganization(store, limits, { name: 'Simulated', country, owner, token }, draw);
}

export const plans: readonly WeightedPlan[] = [
  [createMember, 1],
  [issueToken, 0.7],
  [revokeToken, 0.5],
  [changeMemberRole, 0.7],
  [addNumber, 1],
  [removeNumber, 0.4],
];
