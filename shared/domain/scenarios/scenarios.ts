import * as v from 'valibot';
import type { ActivePageQuery } from '../../contract/pagination.ts';
import {
  firstOutcome,
  Scenario,
  scenarioLabel,
  type ScenarioChanges,
  type ScenarioSummary,
} from '../../contract/scenarios.ts';
import type { ChangeConditions } from '../../core/change-conditions.ts';
import { merge } from '../../core/merge.ts';
import type { Page } from '../../core/page.ts';
import type { Collection, Ledger, Write } from '../../ledger/index.ts';
import { byState, pageByState } from '../lists/by-state.ts';
import { changeRecord } from '../records/change-record.ts';

export const scenarios = {
  name: 'SCENARIO',
  label: scenarioLabel,
  schema: v.object(Scenario.entries),
  isConfiguration: true,
  lists: { state: byState },
  shownIn: ({ tradeServiceId }: Pick<Scenario, 'tradeServiceId'>) =>
    tradeServiceId === null ? undefined : { collection: { name: 'SERVICE' }, id: tradeServiceId },
} as const satisfies Collection;

/** Page of the scenarios, newest first: all, or only scenarios with this `isActive`. */
export function listScenarios(ledger: Ledger, query: ActivePageQuery): Promise<Page<Scenario>> {
  return pageByState(ledger, scenarios, query);
}

/** One scenario. One round trip. @throws Failure `notFound` */
export function getScenario(ledger: Ledger, scenarioId: number): Promise<Scenario> {
  return ledger.get(ledger.ref(scenarios, scenarioId));
}

/**
 * Changes a scenario. One transaction, or none if nothing changes.
 * @throws Failure `notFound`; as `refuseOutdated` does
 */
export function updateScenario(
  ledger: Ledger,
  scenarioId: number,
  { outcome, ...changes }: ScenarioChanges,
  conditions: ChangeConditions<Scenario> = {},
): Promise<Scenario> {
  const change = (scenario: Scenario) =>
    merge(scenario, { ...changes, outcome: outcome === null ? firstOutcome : outcome });
  return changeRecord(ledger, ledger.ref(scenarios, scenarioId), change, {
    event: 'SCENARIO_UPDATED',
    about: scenarioId,
    ...conditions,
  });
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
    outcome: firstOutcome,
    tradeServiceId,
    createdAt: now,
    updatedAt: now,
  })).record;
}
