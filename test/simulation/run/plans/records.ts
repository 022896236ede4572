import { newSchedule } from '../../../../shared/contract/member-schedule.ts';
import { createMember } from '../../../../shared/domain/members/members.ts';
import { pascal } from '../../../../infra/functions.ts';
import type { Draw } from '../draw.ts';
import type { Change } from '../model/change.ts';
import { listOf } from '../pages.ts';
import { changing, once, removing, type Plan, type WeightedPlan } from '../plan.ts';
import { someIfMatch, someNumber, type Planner } from '../planner.ts';
import { without, type Fields } from '../same.ts';

/** Names a function after its operation, as the plans with a function of their own are. */
export const named = (name: string, make: WeightedPlan[0]): WeightedPlan[0] =>
  Object.defineProperty(make, 'name', { value: name });

/** Creation of a record that nothing refuses, as a client or an operator asks for it. */
interface Creation {
  operation: string;
  weight: number;
  /** Number of different names. */
  variety: number;
  given: (name: number) => Fields;
  /** Request for this input. */
  call: (given: never) => Plan['call'];
  /** Adds the record and its event. Returns the response. */
  store: (change: Change, given: Fields) => unknown;
}

const creations: readonly Creation[] = [
  {
    ...{ operation: 'createMember', weight: 1, variety: 99 },
    given: (name) => ({ firstName: 'Max', lastName: 'Tran', email: `max${name}@example.com` }),
    call: (given) => ({ verb: (ledger) => createMember(ledger, given) }),
    store: (change, given) => {
      const member = addMember(change, given);
      change.event('MEMBER_ADDED', 'A member was added', member['userId'] as string);
      return shownMember(member);
    },
  },
  {
    ...{ operation: 'createPolicy', weight: 1.5, variety: 99 },
    given: (name) => ({ title: `Policy ${name}`, content: 'Free until a day before.' }),
    call: (given) => ({ endpoint: 'createPolicy', body: JSON.stringify(given) }),
    store: (change, given) => {
      const policy = change.append('POLICY', (id) => ({ id, ...given, isActive: true }));
      change.event('POLICY_CREATED', 'The policy was created', policy['id'] as number);
      return { policy };
    },
  },
  {
    ...{ operation: 'createFaq', weight: 1, variety: 99 },
    given: (name) => ({ question: `Question ${name}?`, answer: 'Emergencies only.' }),
    call: (given) => ({ endpoint: 'createFaq', body: JSON.stringify(given) }),
    store: (change, given) => {
      const faq = change.append('FAQ', (id) => ({ id, ...given, isActive: true }));
      change.event('FAQ_CREATED', 'The FAQ was created', faq['id'] as number);
      return { faq };
    },
  },
];

const creating = ({ operation, weight, variety, given, call, store }: Creation): WeightedPlan => {
  const make = ({ draw, organization }: Planner): Plan => {
    const input = given(draw.whole(1, variety));
    const stages = once((change) => store(change, input));
    return { operation, organization, call: call(input as never), stages };
  };
  return [named(operation, make), weight];
};

/** A member as the API shows it. */
const shownMember = ({ userId, email, ...member }: Fields): Fields => ({
  ...without(member, 'schedule', 'newestAppointment'),
  user: { id: userId, email },
});

export const listMembers = (planner: Planner) =>
  listOf(planner, 'listMembers', { collection: 'MEMBER', key: 'members', shown: shownMember });

/** Adds a member and returns it as stored. */
export function addMember(change: Change, person: Fields): Fields {
  const presets = { role: 'USER', position: '', responsibility: '', avatarImg: '', isDisabled: false };
  const calendar = { schedule: newSchedule, newestAppointment: 0 };
  const userIdOf = (id: number) => change.organization.userId(id);
  return change.append('MEMBER', (id) => ({
    ...{ ...presets, ...calendar, id, ...person },
    userId: userIdOf(id),
  }));
}

/** Record that can be changed and deleted, and that nothing else names. */
interface PlainRecord {
  /** Name in paths and answers, such as `faq`. */
  record: string;
  label: string;
  /** Name in the sentences of its events; the label if undefined. */
  called?: string;
  /** Record as the API shows it; as stored if undefined. */
  shown?: (record: Fields) => Fields;
  /** Changes that a client may ask for. */
  changes: (draw: Draw) => Fields[];
}

const policy: PlainRecord = {
  ...{ record: 'policy', label: 'policy' },
  changes: (draw) => [{ content: `Version ${draw.whole(1, 30)}` }, { title: 'Cancelling', content: 'Never' }],
};
const faq: PlainRecord = {
  ...{ record: 'faq', label: 'FAQ' },
  changes: (draw) => [{ answer: `Version ${draw.whole(1, 30)}` }, { question: 'Open?', answer: 'Yes' }],
};

const scenario: PlainRecord = {
  ...{ record: 'scenario', label: 'scenario' },
  changes: (draw) => [
    {
      response: `Version ${draw.whole(1, 30)}`,
      outcome: { type: 'takeMessage', property1: 'Who?', property2: null },
    },
    { questions: [{ question: 'Where?', answerOptions: [{ answer: 'Outside', followUps: [] }] }] },
  ],
};

const updating = ({ record, label, changes }: PlainRecord): WeightedPlan[0] => {
  const [collection, operation] = [record.toUpperCase(), `update${pascal(record)}`];
  return named(operation, (planner) => {
    const { draw, organization } = planner;
    const number = someNumber(planner, collection);
    const { headers, tags } = someIfMatch(planner, record, number);
    const given = draw.pick<Fields>([{}, { isActive: draw.happens(0.5) }, ...changes(draw)]);
    const params = { [`${record}Id`]: String(number) };
    return {
      operation,
      organization,
      call: { endpoint: operation, params, body: JSON.stringify(given), headers },
      ...changing({
        ...{ collection, number, label, field: record, tags },
        changed: (before) => ({ ...before, ...given }),
        store: (change, _before, after) => {
          const stored = { ...after, ...('updatedAt' in after && { updatedAt: change.now }) };
          change.event(`${collection}_UPDATED`, `The ${label} was changed`, number);
          return change.replace(collection, number, stored);
        },
      }),
    };
  });
};

/** Plan of the deletion of a record that nothing else names. */
export const deleting = ({
  record,
  label,
  called = label,
  shown = (fields) => fields,
}: Omit<PlainRecord, 'changes'>): WeightedPlan[0] => {
  const [collection, operation] = [record.toUpperCase(), `delete${pascal(record)}`];
  return named(operation, (planner) => {
    const { organization } = planner;
    const number = someNumber(planner, collection);
    const { headers, tags } = someIfMatch(planner, record, number);
    return {
      operation,
      organization,
      call: { endpoint: operation, params: { [`${record}Id`]: String(number) }, headers },
      ...removing({ collection, number, label, called, shown, tags }),
    };
  });
};

export const plans: readonly WeightedPlan[] = [
  ...creations.map(creating),
  [listMembers, 2],
  [updating(policy), 4],
  [updating(faq), 2],
  [updating(scenario), 3],
  [deleting(faq), 1],
  [deleting(policy), 1],
];
