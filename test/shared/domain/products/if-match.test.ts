import { beforeAll, expect, test } from 'vitest';
import { Failure } from '../../../../shared/core/failure.ts';
import { createPolicy, updatePolicy } from '../../../../shared/domain/policies/policies.ts';
import { createProduct, updateProduct } from '../../../../shared/domain/products/products.ts';
import { createTransfer, updateTransfer } from '../../../../shared/domain/transfers/transfers.ts';
import { newTransfer } from '../../../support/records.ts';
import { recordedStore } from '../../../support/recorded-store.ts';
import { newOrganization, tableAt, type TestOrganization } from '../../../support/world.ts';
import type { ChangeConditions } from '../../../../shared/core/change-conditions.ts';
import type { Ledger } from '../../../../shared/ledger/index.ts';

let organization: TestOrganization;
beforeAll(async () => {
  organization = await newOrganization();
});

type Conditions = ChangeConditions<{ id: number }>;

interface Verb {
  create: (ledger: Ledger) => Promise<{ id: number }>;
  /** Changes one field; `other` changes another one. */
  change: (ledger: Ledger, id: number, conditions?: Conditions) => Promise<object>;
  other: (ledger: Ledger, id: number) => Promise<object>;
}

const verbs: [string, Verb][] = [
  [
    'a policy',
    {
      create: (ledger) => createPolicy(ledger, { title: 'Cancelling', content: 'A day before' }),
      change: (ledger, id, conditions) => updatePolicy(ledger, id, { title: 'Late' }, conditions),
      other: (ledger, id) => updatePolicy(ledger, id, { isActive: false }),
    },
  ],
  [
    'a product',
    {
      create: (ledger) => createProduct(ledger, { name: 'Tap', tradeCategoryId: 2, pricingType: 'NONE' }),
      change: (ledger, id, conditions) => updateProduct(ledger, id, { name: 'Mixer tap' }, conditions),
      other: (ledger, id) => updateProduct(ledger, id, { isActive: false }),
    },
  ],
  [
    'a transfer rule',
    {
      create: (ledger) => createTransfer(ledger, { ...newTransfer, label: 'Bursts' }),
      change: (ledger, id, conditions) => updateTransfer(ledger, id, { label: 'Gas' }, conditions),
      other: (ledger, id) => updateTransfer(ledger, id, { isEnabled: false }),
    },
  ],
];

/** A ledger that loses a race once: another change is stored before its first transaction. */
function outrun(between: (ledger: Ledger) => Promise<unknown>): Ledger {
  let isFirst = true;
  const { store } = recordedStore(tableAt(), {}, async (command, _, send) => {
    if (command === 'TransactWriteItemsCommand' && isFirst) {
      isFirst = false;
      await between(organization.openLedger().ledger);
    }
    return send();
  });
  return organization.openLedger({ store }).ledger;
}

test.each(verbs)(
  'a change of %s that loses a race compares again, and is refused',
  async (_, { create, change, other }) => {
    const created = await create(organization.openLedger().ledger);
    const seen: object[] = [];
    let changed: object | undefined;
    const late = outrun(async (faster) => {
      changed = await other(faster, created.id);
    });
    const refuseOutdated = (present: object) => {
      seen.push(present);
      if (seen.length > 1) throw new Failure('outdated', 'Read it again');
    };
    await expect(change(late, created.id, { refuseOutdated })).rejects.toMatchObject({
      kind: 'outdated',
    });
    expect(seen).toEqual([created, changed]);
    // Nothing of the refused change is stored: the next one sees the faster writer's record.
    const asked: object[] = [];
    const again = organization.openLedger().ledger;
    await change(again, created.id, { refuseOutdated: (present) => asked.push(present) });
    expect(asked).toEqual([changed]);
  },
);
