import * as v from 'valibot';
import { Transfer, type NewTransfer, type TransferChanges } from '../../contract/transfers.ts';
import { type Collection } from '../../ledger/internal/collection.ts';
import type { Ledger } from '../../ledger/internal/ledger.ts';
import { noScenario, scenarioRef } from '../scenarios/scenarios.ts';
import { checkedDestination, memberNamed } from './destination.ts';
import { notFound, unavailable, type FieldProblem } from '../../core/failure.ts';
import { merge } from '../../core/merge.ts';

export const transfers = {
  name: 'TRANSFER',
  label: 'transfer',
  schema: v.object(Transfer.entries),
  uniques: ({ label }: Pick<Transfer, 'label'>) => [{ field: 'label', value: label }],
} as const satisfies Collection;

/**
 * Creates a transfer rule. One transaction.
 * @throws Failure `invalid` for a scenario that is not there, or a destination that does not go with its type; Failure `conflict`
 * for a label that a live rule has.
 */
export async function createTransfer(ledger: Ledger, input: NewTransfer): Promise<Transfer> {
  const { label, method, destinationType, destination, conditions, settings = {} } = input;
  const { name = label, summaryFormat = '', isEnabled = true, scenarioId = null } = input;
  const check = {
    ...scenarioNamed(ledger, scenarioId),
    ...memberNamed(ledger, destinationType === 'MEMBER' ? destination : undefined),
  };
  return ledger.write({ check }, async (write, { scenario, member }) => {
    if (scenarioId !== null && scenario === undefined) throw noScenario();
    const checked = await checkedDestination({ destinationType, destination }, write.country, member);
    const { record } = write.append(transfers, ({ number }) => ({
      id: number,
      label,
      name,
      method,
      destinationType,
      destination: checked,
      conditions,
      summaryFormat,
      settings: { ignore_business_hours: settings.ignore_business_hours ?? false },
      isEnabled,
      scenarioId,
      createdAt: write.now,
      updatedAt: write.now,
    }));
    write.event({
      event: 'TRANSFER_CREATED',
      data: 'The transfer rule was created',
      referenceId: String(record.id),
    });
    return record;
  });
}

/**
 * Changes a transfer rule. One transaction, or none where nothing changes. A destination is checked with its type, where either
 * changes.
 * @throws Failure `notFound` for the rule; as `createTransfer` for the rest.
 */
export async function updateTransfer(
  ledger: Ledger,
  transferId: number,
  { settings = {}, ...changes }: TransferChanges,
  doubts: readonly FieldProblem[] = [],
): Promise<Transfer> {
  const ref = ledger.ref(transfers, transferId);
  const { scenarioId = null, destination, destinationType } = changes;
  // Of a new type alone, only the stored rule says which member it leads to.
  const toMember =
    destination ?? (destinationType === 'MEMBER' ? (await ledger.get(ref)).destination : undefined);
  const reading = {
    change: { transfer: ref },
    check: { ...scenarioNamed(ledger, scenarioId), ...memberNamed(ledger, toMember) },
  };
  return ledger.write(reading, async (write, { transfer, scenario, member }) => {
    if (transfer === undefined) throw notFound(transfers.label);
    if (scenarioId !== null && scenario === undefined) throw noScenario();
    const merged = merge(transfer, { ...changes, settings: merge(transfer.settings, settings) }, doubts);
    const leadsElsewhere =
      merged.destination !== transfer.destination || merged.destinationType !== transfer.destinationType;
    // Another writer changed it since it was read.
    if (leadsElsewhere && merged.destinationType === 'MEMBER' && merged.destination !== toMember)
      throw unavailable();
    const after = leadsElsewhere
      ? { ...merged, destination: await checkedDestination(merged, write.country, member) }
      : merged;
    return write.change(
      ref,
      { before: transfer, after },
      { id: transfer.id, event: 'TRANSFER_UPDATED', data: 'The transfer rule was changed' },
    );
  });
}

/** The scenario that a rule belongs to, for a write to check. @throws Failure `invalid` for what can be none. */
const scenarioNamed = (ledger: Ledger, scenarioId: number | null) =>
  scenarioId === null ? {} : { scenario: scenarioRef(ledger, scenarioId) };
