import { toItem } from '../../../shared/ledger/internal/attributes.ts';
import type { OrganizationCode } from '../../../shared/core/ids.ts';
import { verifyOrganization } from '../../../infra/admin/verify/verify-organization.ts';
import { ledgerTable } from '../simulated-table.ts';
import { attributesOf, inOrder } from './model/history.ts';
import { same, without, type Fields } from './same.ts';
import { Violation } from './violation.ts';
import type { World } from './world.ts';

/**
 * Checks, once everything has settled, that the table equals the model and that `organization verify` finds
 * nothing. @throws Violation
 */
export async function checkStored(world: World): Promise<void> {
  const { problems } = world.database;
  if (problems.length > 0) {
    throw new Violation('Every call must be one that the simulation can carry out', {
      expected: 'no problem',
      observed: problems.slice(0, 5),
    });
  }
  compareItems(world);
  const client = world.database.connect({ name: 'verify', dead: false });
  const system = {
    now: () => world.time.now,
    random: () => 0.5,
    randomBytes: (size: number) => new Uint8Array(size),
    sleep: (milliseconds: number) => world.time.sleep(milliseconds),
  };
  for (const code of world.organizations.keys()) {
    const access = { client, tableName: ledgerTable.name, system };
    const { findings } = await verifyOrganization(access, code as OrganizationCode);
    if (findings.length > 0) {
      throw new Violation('organization verify must find nothing', {
        expected: [],
        observed: findings.slice(0, 20),
      });
    }
  }
}

/** Checks that every stored item equals the model's. @throws Violation */
export function compareItems(world: World): void {
  const expected = new Map<string, Fields>();
  for (const organization of world.organizations.values()) {
    for (const [name, stored] of organization.stored()) {
      expected.set(name, attributesOf(stored));
    }
  }
  for (const attributes of world.database.items()) {
    const { pk, sk, ...item } = toItem(attributes);
    const name = `${String(pk)} ${String(sk)}`;
    const isOwn = sk === 'HEAD' || name.endsWith('#TURN TURN');
    const value = expected.get(name);
    if (!isOwn && !same(value && without(value, 'revision'), without(inOrder(item), 'revision'))) {
      throw new Violation('Every stored item must equal the model in the end', {
        expected: value,
        observed: { name, item },
      });
    }
    expected.delete(name);
  }
  if (expected.size > 0) {
    throw new Violation('Every item of the model must be stored in the end', {
      expected: [...expected].slice(0, 5),
      observed: 'no such items',
    });
  }
}
