import * as v from 'valibot';
import { notFound } from '../endpoints/errors.ts';
import { Transfer, type NewTransfer, type TransferChanges } from '../endpoints/transfers.ts';
import { changed, type Collection } from '../ledger/collection.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { noScenario, placeOfScenario } from '../scenarios/scenarios.ts';

export const transfers = {
  name: 'TRANSFER',
  label: 'transfer',
  schema: v.object(Transfer.entries),
  uniques: ({ label }: Pick<Transfer, 'label'>) => [{ field: 'label', value: label }],
} as const satisfies Collection;

/**
 * Creates a transfer rule. One transaction.
 * @throws Failure `invalid` for a scenario that is not there; Failure `conflict` for a label that a live rule has.
 */
export async function createTransfer(ledger: Ledger, input: NewTransfer): Promise<Transfer> {
  const { label, method, destinationType, destination, conditions, settings = {} } = input;
  const { name = label, summaryFormat = '', isEnabled = true, scenarioId = null } = input;
  return ledger.write({ check: scenarioNamed(ledger, scenarioId) }, (write, { scenario }) => {
    if (scenarioId !== null && scenario === undefined) throw noScenario();
    const { record } = write.append(transfers, ({ number }) => ({
      id: number,
      label,
      name,
      method,
      destinationType,
      destination,
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
 * Changes a transfer rule. One transaction, or none where nothing changes.
 * @throws Failure `notFound` for the rule; as `createTransfer` for the rest.
 */
export async function updateTransfer(
  ledger: Ledger,
  transferId: number,
  { settings = {}, ...changes }: TransferChanges,
): Promise<Transfer> {
  const place = ledger.place(transfers, transferId);
  const { scenarioId = null } = changes;
  const reading = { change: { transfer: place }, check: scenarioNamed(ledger, scenarioId) };
  return ledger.write(reading, (write, { transfer, scenario }) => {
    if (transfer === undefined) throw notFound(transfers.label);
    if (scenarioId !== null && scenario === undefined) throw noScenario();
    const after = changed(transfer, { ...changes, settings: changed(transfer.settings, settings) });
    return write.change(
      place,
      { before: transfer, after },
      { id: transfer.id, event: 'TRANSFER_UPDATED', data: 'The transfer rule was changed' },
    );
  });
}

/** The scenario that a rule belongs to, for a write to check. @throws Failure `invalid` for what can be none. */
const scenarioNamed = (ledger: Ledger, scenarioId: number | null) =>
  scenarioId === null ? {} : { scenario: placeOfScenario(ledger, scenarioId) };
