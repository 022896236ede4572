import * as v from 'valibot';
import { Scenario, scenarioLabel, type ScenarioSummary } from '../../contract/scenarios.ts';
import type { Collection, Ledger, Write } from '../../ledger/index.ts';
import { byState } from '../lists/by-state.ts';

export const scenarios = {
  name: 'SCENARIO',
  label: scenarioLabel,
  schema: v.object(Scenario.entries),
  lists: { state: byState },
} as const satisfies Collection;

/** One scenario. One round trip. @throws Failure `notFound` */
export function getScenario(ledger: Ledger, scenarioId: number): Promise<Scenario> {
  return ledger.get(ledger.ref(scenarios, scenarioId));
}

/** The scenario that a service names. One round trip. */
export const getScenarioOf = (ledger: Ledger, scenarioId: number): Promise<Scenario> =>
  ledger.getReferenced(ledger.ref(scenarios, scenarioId));

/** A scenario as its service shows it. */
export function toSummary({ id, response, questions, outcome }: Scenario): ScenarioSummary {
  return { id, response, questions, outcome };
}

/**
 * Creates a service's scenario, as part of a write: its name, its follow-up questions without answer options,
 * and the outcome `continueCall`.
 */
export function addScenarioOfService(
  write: Write,
  {
    tradeServiceId,
    name,
    followUpQuestions,
  }: { tradeServiceId: number; name: string; followUpQuestions: string[] },
): Scenario {
  const { now } = write;
  return write.append(scenarios, ({ number }) => ({
    id: number,
    name,
    prompt: '',
    response: '',
    isActive: true,
    questions: followUpQuestions.map((question) => ({ question, answerOptions: [] })),
    outcome: { type: 'continueCall' as const, property1: null, property2: null },
    tradeServiceId,
    createdAt: now,
    updatedAt: now,
  })).record;
}
