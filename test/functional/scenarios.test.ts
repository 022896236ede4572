import { expect, test } from 'vitest';
import type { Scenario } from '../../shared/contract/scenarios.ts';
import { verifiedOrganization } from '../support/test-organization.ts';

const { api } = await verifiedOrganization();

let names = 0;
async function newScenario(): Promise<Scenario> {
  const body = { name: `Service ${++names}`, tradeCategoryId: 1, followUpQuestions: ['Where?'] };
  const { service } = await api.call('createService', { body });
  return read(service.scenario.id);
}
const read = async (scenarioId: number) =>
  (await api.call('getScenario', { params: { scenarioId } })).scenario;
const change = async (scenarioId: number, body: object) =>
  (await api.call('updateScenario', { params: { scenarioId }, body })).scenario;

const question = (options: number, followUps: number, text = 'x'.repeat(60)) => ({
  question: text,
  answerOptions: Array.from({ length: options }, () => ({
    answer: text,
    followUps: Array.from({ length: followUps }, () => ({ question: text })),
  })),
});

test.each<[changes: object, stored?: object]>([
  [{ name: 'Drains', prompt: 'Be brief.\n', response: ' Today. ', isActive: false }],
  [{ questions: [] }],
  [{ questions: [question(2, 1), question(0, 0)] }],
  [
    { questions: [{ question: ' Which? ', answerOptions: [{ answer: 'Outside' }] }] },
    { questions: [{ question: 'Which?', answerOptions: [{ answer: 'Outside', followUps: [] }] }] },
  ],
  [
    { outcome: { type: 'takeMessage', property1: 'Who?' } },
    { outcome: { type: 'takeMessage', property1: 'Who?', property2: null } },
  ],
])(
  'a scenario is changed by %j, keeps the rest, and its service shows it',
  async (changes, stored = changes) => {
    const before = await newScenario();
    const after = await change(before.id, changes);
    expect(after).toEqual({ ...before, ...stored, updatedAt: after.updatedAt });
    expect(await read(before.id)).toEqual(after);
    const params = { serviceId: before.tradeServiceId! };
    const { id, response, questions, outcome } = after;
    expect((await api.call('getService', { params })).service.scenario).toEqual({
      id,
      response,
      questions,
      outcome,
    });
  },
);

test.each([
  ['questions must have at most 4000 characters in all', { questions: Array(10).fill(question(6, 0)) }],
  ['questions.0.question must not be empty', { questions: [question(0, 0, '')] }],
  ['questions.0.answerOptions must be at most 10 long', { questions: [question(11, 0)] }],
  ['questions.0.answerOptions.0.followUps must be at most 5 long', { questions: [question(1, 6)] }],
  [
    'outcome.type must be one of continueCall, transferCall, sendSms, bookAppointment, takeMessage',
    { outcome: { type: 'hangUp' } },
  ],
  [
    'outcome.property1 must be at most 500 long',
    { outcome: { type: 'sendSms', property1: 'x'.repeat(501) } },
  ],
])('a change is refused where %s', async (problem, body) => {
  const scenario = await newScenario();
  await api.refuses('updateScenario', { params: { scenarioId: scenario.id }, body }, problem);
  expect(await read(scenario.id)).toEqual(scenario);
});

test('what was read can be sent back', async () => {
  const scenario = await newScenario();
  expect(await change(scenario.id, scenario)).toEqual(scenario);
});

test('scenarios are listed newest first, all or those in use', async () => {
  const [older, newer] = [await newScenario(), await newScenario()];
  await change(older.id, { isActive: false });
  const listed = async (query: object) => {
    const { scenarios, totalCount } = await api.call('listScenarios', {
      query: { limit: '100', ...query },
    });
    return { ids: scenarios.map(({ id }) => id), totalCount };
  };
  const [all, inUse, others] = [
    await listed({}),
    await listed({ isActive: 'true' }),
    await listed({ isActive: 'false' }),
  ];
  expect(all.ids.slice(0, 2)).toEqual([newer.id, older.id]);
  expect(inUse.ids[0]).toBe(newer.id);
  expect(others.ids[0]).toBe(older.id);
  expect(all.totalCount).toBe(inUse.totalCount + others.totalCount);
});
