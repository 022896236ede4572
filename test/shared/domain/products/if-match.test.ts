import { expect, test } from 'vitest';
import { Failure } from '../../../../shared/core/failure.ts';
import { createProduct, updateProduct } from '../../../../shared/domain/products/products.ts';
import { recordedStore } from '../../../support/store/recorded-store.ts';
import { newOrganization, tableAt } from '../../../support/test-organization.ts';

test('a change that loses a race compares again, and is refused', async () => {
  const organization = await newOrganization();
  const { ledger } = organization.openLedger();
  const created = await createProduct(ledger, { name: 'Tap', tradeCategoryId: 2, pricingType: 'NONE' });
  let changed: object | undefined;
  // Another change is stored before the first transaction.
  const { store } = recordedStore(tableAt(), {}, async (command, _, send) => {
    if (command.startsWith('TransactWrite')) changed ??= await updateProduct(ledger, 1, { isActive: false });
    return send();
  });
  const seen: object[] = [];
  const refuseOutdated = (present: object) => {
    seen.push(present);
    if (seen.length > 1) throw new Failure('outdated', 'Read it again');
  };
  const late = updateProduct(
    organization.openLedger({ store }).ledger,
    1,
    { name: 'Mixer' },
    { refuseOutdated },
  );
  await expect(late).rejects.toMatchObject({ kind: 'outdated' });
  expect(seen).toEqual([created, changed]);
  expect(await updateProduct(ledger, 1, {})).toEqual(changed);
});
