import * as v from 'valibot';
import { endpoint } from './endpoint.ts';
import {
  filledLine,
  codePointsIn,
  numberInPath,
  pathId,
  readOnlyFields,
  recordNumber,
  text,
  timestamp,
} from './fields.ts';
import { ActivePageQuery, pageExample, pageSchema } from './pagination.ts';
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

/** Question of a scenario, with its possible answers, and the questions that follow each answer. */
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

/** Outcome of a scenario that was given none. */
export const firstOutcome = {
  type: 'continueCall',
  property1: null,
  property2: null,
} as const satisfies v.InferOutput<typeof ScenarioOutcome>;

/** Scenario that is read by its id: docs/reference/knowledge.md, Scenario. */
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

/**
 * Maximum length of all texts of a scenario's questions. A page of 100 services, each with its scenario, must fit
 * in a function's response of 6 MB.
 */
const maxQuestionText = 4000;

export const NewFollowUp = v.strictObject({ question: filledLine(200) });
export const NewAnswerOption = v.strictObject({
  answer: filledLine(100),
  followUps: v.optional(v.pipe(v.array(NewFollowUp), v.maxLength(5)), []),
});
export const NewScenarioQuestion = v.strictObject({
  question: filledLine(200),
  answerOptions: v.optional(v.pipe(v.array(NewAnswerOption), v.maxLength(10)), []),
});
export type NewScenarioQuestion = v.InferOutput<typeof NewScenarioQuestion>;

const property = v.optional(v.nullable(text(500)), null);
export const NewScenarioOutcome = v.strictObject({
  type: OutcomeType,
  property1: property,
  property2: property,
});

const textsOf = ({ question, answerOptions }: NewScenarioQuestion): string[] => [
  question,
  ...answerOptions.flatMap(({ answer, followUps }) => [answer, ...followUps.map((one) => one.question)]),
];

/** Body of a change of a scenario. Fields that are left out stay. */
export const ScenarioChanges = v.partial(
  v.strictObject({
    name: filledLine(150),
    prompt: text(2000),
    response: text(2000),
    isActive: v.boolean(),
    questions: v.pipe(
      v.array(NewScenarioQuestion),
      v.maxLength(10),
      v.check(
        (questions) => codePointsIn(questions.flatMap(textsOf).join('')) <= maxQuestionText,
        `must have at most ${maxQuestionText} characters in all`,
      ),
    ),
    outcome: v.nullable(NewScenarioOutcome),
  }),
);
export type ScenarioChanges = v.InferOutput<typeof ScenarioChanges>;

export const ScenarioPage = pageSchema('scenarios', Scenario);
export const ScenarioEnvelope = v.strictObject({ scenario: Scenario });

export const descriptions = {
  OutcomeType: { is: 'The end of a scenario' },
  FollowUp: { is: 'A question that follows an answer', fields: { question: 'The question' } },
  AnswerOption: {
    is: 'An answer that a question offers',
    fields: { answer: 'The answer', followUps: 'The questions after this answer' },
  },
  ScenarioQuestion: {
    is: 'A question that the assistant asks',
    fields: { question: 'The question', answerOptions: 'The answers that it offers; none where any will do' },
  },
  ScenarioOutcome: {
    is: 'The end of a scenario',
    fields: {
      type: 'What happens',
      property1: 'The first detail that this type of outcome needs, or null',
      property2: 'The second detail that this type of outcome needs, or null',
    },
  },
  Scenario: {
    is: 'The words and questions of the assistant when a service comes up',
    fields: {
      name: 'Its name',
      prompt: 'Instructions for the assistant about the service',
      response: "The assistant's words",
      questions: "The assistant's questions, in this order",
      outcome: 'The end of the scenario',
      tradeServiceId: 'The service that it belongs to, or null',
    },
  },
  NewFollowUp: { is: 'A question that follows an answer, as a body has it', like: 'FollowUp' },
  NewAnswerOption: {
    is: 'An answer that a question offers, as a body has it',
    like: 'AnswerOption',
    fields: { followUps: 'The questions after this answer; none when not given' },
  },
  NewScenarioQuestion: {
    is: 'A question that the assistant asks, as a body has it',
    like: 'ScenarioQuestion',
    fields: { answerOptions: 'The answers that it offers; none when not given: any will do' },
  },
  NewScenarioOutcome: {
    is: 'The end of a scenario, in a body',
    like: 'ScenarioOutcome',
  },
  ScenarioChanges: {
    is: 'The body to change a scenario',
    like: 'Scenario',
    fields: {
      questions:
        'All that the assistant asks, in this order: their texts have at most 4,000 characters in all',
      outcome:
        'The end of the scenario; a property that is left out becomes null. Null for `continueCall`, as at first',
    },
  },
  ScenarioPage: { is: 'A page of scenarios', fields: { scenarios: 'The scenarios of this page' } },
  ScenarioSummary: { is: 'A scenario as its service shows it', like: 'Scenario' },
  ScenarioEnvelope: { is: 'A scenario', fields: { scenario: 'The scenario' } },
} satisfies Descriptions;

const scenarioId = pathId(scenarioLabel, numberInPath);

const example = {
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
};

export const listScenariosEndpoint = endpoint({
  method: 'GET',
  path: '/v1/scenarios',
  scope: 'scenarios:read',
  access: 'readPageAndList',
  summary: 'List scenarios, newest first',
  description: 'All scenarios, only scenarios in use, or only scenarios that are not in use.',
  params: {},
  query: ActivePageQuery,
  responses: { 200: ScenarioPage },
  errors: [],
  extension: true,
  example: pageExample('scenarios', example),
});

export const getScenarioEndpoint = endpoint({
  method: 'GET',
  path: '/v1/scenarios/{scenarioId}',
  scope: 'scenarios:read',
  access: 'get',
  summary: 'Read a scenario',
  description: 'With its questions, and what happens at its end.',
  params: { scenarioId },
  responses: { 200: ScenarioEnvelope },
  record: { in: 'scenario' },
  errors: [404],
  example: { params: { scenarioId: '1' }, response: { scenario: example } },
});

export const updateScenarioEndpoint = endpoint({
  method: 'PUT',
  path: '/v1/scenarios/{scenarioId}',
  scope: 'scenarios:write',
  access: 'putAndUpdate',
  summary: 'Change a scenario',
  description:
    'Fields that are left out stay unchanged; `questions` and `outcome` are replaced as a whole. A scenario comes and ' +
    'goes with its service.',
  params: { scenarioId },
  body: ScenarioChanges,
  readOnly: readOnlyFields(Scenario, ScenarioChanges),
  responses: { 200: ScenarioEnvelope },
  record: { in: 'scenario' },
  errors: [404],
  extension: true,
  example: {
    params: { scenarioId: '1' },
    body: {
      response: 'We can have someone there today.',
      questions: [
        {
          question: 'Which drain is blocked?',
          answerOptions: [{ answer: 'Outside', followUps: [{ question: 'Is it overflowing?' }] }],
        },
      ],
      outcome: { type: 'bookAppointment' },
    },
    response: {
      scenario: {
        ...example,
        response: 'We can have someone there today.',
        questions: [
          {
            question: 'Which drain is blocked?',
            answerOptions: [{ answer: 'Outside', followUps: [{ question: 'Is it overflowing?' }] }],
          },
        ],
        outcome: { type: 'bookAppointment', property1: null, property2: null },
        updatedAt: '2026-11-03T09:30:00.000Z',
      },
    },
  },
});
