import * as v from 'valibot';
import { Scenario, type ScenarioSummary } from '../../contract/scenarios.ts';
import type { Collection, RecordRef } from '../../ledger/internal/collection.ts';
import type { Ledger } from '../../ledger/internal/ledger.ts';
import type { Write } from '../../ledger/internal/write.ts';
import { noSuch } from '../../core/failure.ts';

export const scenarios = {
  name: 'SCENARIO',
  label: 'scenario',
  schema: v.object(Scenario.entries),
} as const satisfies Collection;

/** One scenario. One round trip. @throws Failure `notFound` */
export function getScenario(ledger: Ledger, scenarioId: number): Promise<Scenario> {
  return ledger.get(ledger.ref(scenarios, scenarioId));
}

/** The scenario that a service names. One round trip. */
export const getScenarioOf = (ledger: Ledger, scenarioId: number): Promise<Scenario> =>
  ledger.getNamed(ledger.ref(scenarios, scenarioId));

/** A scenario as its service shows it. */
export function toSummary({ id, response, questions, outcome }: Scenario): ScenarioSummary {
  return { id, response, questions, outcome };
}

/**
 * The part of a write that creates the scenario that every service starts with: its name, its follow-up questions
 * without answers to choose from, and a call that goes on.
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

/** Where the scenario is that a body names. @throws Failure `invalid` for a number that can be none. */
export function scenarioRef(ledger: Ledger, scenarioId: number): RecordRef<typeof scenarios> {
  const ref = ledger.tryRef(scenarios, scenarioId);
  if (!ref) throw noScenario();
  return ref;
}

/** 400: the `scenarioId` of a body names no scenario. */
export const noScenario = () => noSuch(scenarios.label, 'scenarioId');
