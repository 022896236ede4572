import { operations } from '../contracts.ts';
import { genericPlan } from '../generic/generic-plan.ts';
import type { Hint, Plan, WeightedPlan } from '../plan.ts';
import type { ClientToken, Planner } from '../planner.ts';
import type { Fields } from '../same.ts';
import { formSites } from './forms.ts';
import { laterToken } from './hints.ts';
import { signingSecret } from './keys.ts';

const acceptScope = 'invitations:accept';

type Learned = Omit<ClientToken, 'organization'>;
type Learn = (answer: Fields) => Learned | undefined;

/** Operations that answer with a new record. */
const makingNew = new Set(['createAccessToken', 'rotateAccessToken', 'inviteMember', 'acceptInvitation']);

/** Name of the record in the answer to a repeat, and its collection. */
type Answered = readonly [field: string, collection: string];

/** Generic plan of an operation, from whose answer clients learn a token. The record of its path is answered, or a new one. */
function learning(
  operationId: string,
  planner: Planner,
  { learn, answers: [field, collection], hint }: { learn: Learn; answers: Answered; hint?: Hint },
): Plan {
  const { organization, tokens } = planner;
  const operation = operations.find((one) => one.operationId === operationId)!;
  const plan = genericPlan(operation, hint)(planner);
  const params = 'endpoint' in plan.call ? plan.call.params : {};
  const [named] = Object.values(params ?? {});
  return {
    ...plan,
    store: (change, request) => {
      const next = organization.lastOf(collection) + 1;
      plan.store?.(change, request);
      return { [field]: { id: makingNew.has(operationId) ? next : Number(named) } };
    },
    then: (answer) => {
      const learned = learn(answer as Fields);
      if (learned) tokens.push({ organization, ...learned });
    },
  };
}

/** The token in an answer. The answer to a repeat may have only its id. */
const issued = ({ token }: Fields): Learned | undefined => {
  const { id, value, scopes } = token as { id: number; value?: string; scopes: string[] };
  return value === undefined ? undefined : { id, token: value, scopes };
};

const sent = ({ invitation }: Fields): Learned | undefined => {
  const { id, token } = invitation as { id: number; token?: string };
  return token === undefined ? undefined : { id: 0, token, scopes: [acceptScope], invitation: id };
};

/** Parts of new tokens. The last parts do not go together. */
const someParts = ({ draw }: Planner): Fields =>
  draw.pick<Fields>([
    { scopes: ['read', 'write'] },
    { scopes: ['leads:create'] },
    { scopes: ['members:write', 'read'] },
    { scopes: ['forms:submit'], sites: formSites },
    { scopes: ['calls:submit'], secret: `${signingSecret}-too` },
    { scopes: ['read'], sites: formSites },
  ]);

const createAccessToken = (planner: Planner): Plan =>
  learning('createAccessToken', planner, {
    learn: issued,
    answers: ['token', 'TOKEN'],
    hint: {
      wholeBody: ({ draw }) => ({
        name: `Token ${draw.whole(1, 99)}`,
        ...someParts(planner),
        ...(draw.happens(0.3) && {
          userId: planner.organization.userId(
            draw.whole(1, Math.max(1, planner.organization.lastOf('MEMBER'))),
          ),
        }),
      }),
    },
  });

const rotateAccessToken = (planner: Planner): Plan =>
  learning('rotateAccessToken', planner, {
    learn: issued,
    answers: ['token', 'TOKEN'],
    hint: {
      ...laterToken,
      wholeBody: ({ draw }) => ({ ...(draw.happens(0.5) && { overlapHours: draw.pick([0, 1]) }) }),
    },
  });

const inviteMember = (planner: Planner): Plan =>
  learning('inviteMember', planner, {
    learn: sent,
    answers: ['invitation', 'INVITATION'],
    hint: {
      wholeBody: ({ draw }) => ({
        email: `max${draw.whole(1, 30)}@example.com`,
        role: draw.pick(['USER', 'ADMIN', 'OWNER']),
      }),
    },
  });

/** Gives a key another secret, with which some platforms sign from then on. */
const rotateKeySecret = (planner: Planner): Plan =>
  learning('rotateKeySecret', planner, {
    learn: () => undefined,
    answers: ['token', 'TOKEN'],
    hint: { wholeBody: ({ draw }) => ({ secret: draw.pick(['sign-with-another', `${signingSecret}-too`]) }) },
  });

const resendInvitation = (planner: Planner): Plan =>
  learning('resendInvitation', planner, { learn: sent, answers: ['invitation', 'INVITATION'] });

/** Accepts an invitation with its own token, or sometimes with another invitation's token. */
function acceptInvitation(planner: Planner): Plan {
  const { draw, organization, tokens } = planner;
  const known = tokens.filter(
    ({ invitation, organization: of }) => of === organization && invitation !== undefined,
  );
  const plan = learning('acceptInvitation', planner, { learn: issued, answers: ['member', 'MEMBER'] });
  const own = known.length > 0 ? draw.pick(known.slice(-3)) : undefined;
  if (!own || !('endpoint' in plan.call) || draw.happens(0.1)) return plan;
  return {
    ...plan,
    token: own.token,
    call: { ...plan.call, params: { invitationId: String(own.invitation) } },
    // The path of the generic plan names another invitation.
    checkRefusal: () => undefined,
    canBeHidden: () => true,
  };
}

export const plans: readonly WeightedPlan[] = [
  [createAccessToken, 1],
  [rotateAccessToken, 1],
  [rotateKeySecret, 0.5],
  [inviteMember, 2],
  [resendInvitation, 0.5],
  [acceptInvitation, 2],
];
