import * as v from 'valibot';
import { endpoint } from './endpoint.ts';
import { numberInPath, pathId, recordNumber, timestamp } from './fields.ts';
import type { Descriptions } from './descriptions.ts';

export const tagDescription = 'Scenarios: what the assistant says and asks when a service comes up';

export const scenarioLabel = 'scenario';

export const OutcomeType = v.picklist([
  'continueCall',
  'transferCall',
  'sendSms',
  'bookAppointment',
  'takeMessage',
]);

export const FollowUp = v.strictObject({ question: v.string() });
export const AnswerOption = v.strictObject({ answer: v.string(), followUps: v.array(FollowUp) });

/** Question of a scenario, with the answers to choose from and the questions that follow each. */
export const ScenarioQuestion = v.strictObject({
  question: v.string(),
  answerOptions: v.array(AnswerOption),
});

/** End of a scenario. */
export const ScenarioOutcome = v.strictObject({
  type: OutcomeType,
  property1: v.nullable(v.string()),
  property2: v.nullable(v.string()),
});

/** Scenario as it is read by its id: docs/reference.md, Scenario. */
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

/** Scenario as its service shows it. */
export const ScenarioSummary = v.strictObject({
  id: recordNumber,
  response: v.string(),
  questions: v.array(ScenarioQuestion),
  outcome: ScenarioOutcome,
});
export type ScenarioSummary = v.InferOutput<typeof ScenarioSummary>;

export const ScenarioEnvelope = v.strictObject({ scenario: Scenario });

export const descriptions = {
  OutcomeType: { is: 'What a scenario ends with' },
  FollowUp: { is: 'A question that follows an answer', fields: { question: 'The question' } },
  AnswerOption: {
    is: 'An answer that a question offers',
    fields: { answer: 'The answer', followUps: 'What is asked after it' },
  },
  ScenarioQuestion: {
    is: 'A question that the assistant asks',
    fields: { question: 'The question', answerOptions: 'The answers that it offers; none where any will do' },
  },
  ScenarioOutcome: {
    is: 'What happens at the end of a scenario',
    fields: {
      type: 'What happens',
      property1: 'The first detail that this type of outcome needs, or null',
      property2: 'The second detail that this type of outcome needs, or null',
    },
  },
  Scenario: {
    is: 'What the assistant says and asks when a service comes up',
    fields: {
      name: 'Its name',
      prompt: 'What the assistant is told about it',
      response: 'What the assistant says',
      questions: 'What the assistant asks, in this order',
      outcome: 'What happens at the end',
      tradeServiceId: 'The service that it belongs to, or null',
    },
  },
  ScenarioSummary: { is: 'A scenario as its service shows it', like: 'Scenario' },
  ScenarioEnvelope: { is: 'A scenario', fields: { scenario: 'The scenario' } },
} satisfies Descriptions;

export const getScenarioEndpoint = endpoint({
  method: 'GET',
  path: '/v1/scenarios/{scenarioId}',
  scope: 'scenarios:read',
  access: 'get',
  summary: 'Read a scenario',
  description: 'With its questions, and what happens at its end.',
  params: { scenarioId: pathId(scenarioLabel, numberInPath) },
  responses: { 200: ScenarioEnvelope },
  record: { in: 'scenario' },
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
