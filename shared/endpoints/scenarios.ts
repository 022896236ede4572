import * as v from 'valibot';
import { endpoint } from './endpoint.ts';
import { numberInPath, recordNumber, timestamp } from './fields.ts';

export const about = 'Scenarios: what the assistant says and asks when a service comes up';

export const outcomeTypes = [
  'continueCall',
  'transferCall',
  'sendSms',
  'bookAppointment',
  'takeMessage',
] as const;

/** A question of a scenario, the answers it offers, and what is asked after each. */
export const ScenarioQuestion = v.strictObject({
  question: v.string(),
  answerOptions: v.array(
    v.strictObject({
      answer: v.string(),
      followUps: v.array(v.strictObject({ question: v.string() })),
    }),
  ),
});

/** What happens at the end of a scenario. */
export const ScenarioOutcome = v.strictObject({
  type: v.picklist(outcomeTypes),
  property1: v.nullable(v.string()),
  property2: v.nullable(v.string()),
});

/** A scenario as it is read by its id (specification, section 2). */
export const Scenario = v.strictObject({
  id: recordNumber,
  name: v.string(),
  prompt: v.string(),
  response: v.string(),
  isActive: v.boolean(),
  questions: v.array(ScenarioQuestion),
  outcome: ScenarioOutcome,
  tradeServiceId: v.nullable(recordNumber),
  createdAt: timestamp,
  updatedAt: timestamp,
});
export type Scenario = v.InferOutput<typeof Scenario>;

/** A scenario as its service shows it. */
export const ScenarioSummary = v.strictObject({
  id: recordNumber,
  response: v.string(),
  questions: v.array(ScenarioQuestion),
  outcome: ScenarioOutcome,
});
export type ScenarioSummary = v.InferOutput<typeof ScenarioSummary>;

export const getScenario = endpoint({
  method: 'GET',
  path: '/v1/scenarios/{scenarioId}',
  scope: 'read',
  access: 'get',
  summary: 'Read a scenario',
  params: { scenarioId: v.pipe(numberInPath, v.description("The scenario's id")) },
  responses: { 200: v.strictObject({ scenario: Scenario }) },
  errors: [404],
  example: {
    params: { scenarioId: '1' },
    response: {
      scenario: {
        id: 1,
        name: 'Blocked drain',
        prompt: '',
        response: '',
        isActive: true,
        questions: [{ question: 'Which drain is blocked?', answerOptions: [] }],
        outcome: { type: 'continueCall', property1: null, property2: null },
        tradeServiceId: 1,
        createdAt: '2026-11-02T08:00:00.000Z',
        updatedAt: '2026-11-02T08:00:00.000Z',
      },
    },
  },
});
