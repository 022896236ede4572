import { afterAll, describe, expect, test, vi } from 'vitest';
import { findingKinds, type FindingKind } from '../../../infra/admin/verify/finding.ts';
import { repairAll } from '../../../infra/admin/repair/repair-table.ts';
import { verifyOrganization } from '../../../infra/admin/verify/verify-organization.ts';
import { clientOf } from '../../../infra/local/engine.ts';
import { realSystem } from '../../../shared/core/system.ts';
import { createLead } from '../../../shared/domain/leads/leads.ts';
import type { StoredOrganization } from '../../support/organizations.ts';
import { engine, newPlainTable } from '../../support/world.ts';
import { damagesOf } from './damages.ts';
import { newFilledOrganization, type FilledOrganization } from './filled-organization.ts';
import { foundIn } from './found-in.ts';
import { jobDamagesOf } from './job-damages.ts';
import { fillJobs, withJobs } from './jobs.ts';
import { storeAsBefore } from './stored-before.ts';
import { firstBucket, storedItems } from './stored-items.ts';
import { startWriters } from './writers.ts';

const client = clientOf(engine);
let tableName: string;
let organization: StoredOrganization;
let filled: FilledOrganization;
afterAll(() => {
  client.destroy();
});

const items = storedItems(client, () => ({ tableName, code: organization.code }));

/** Repairs the organization: what was repaired and what could be, and what is found after that. */
async function repair() {
  const access = { client, tableName, system: realSystem };
  const mendable = new Set<FindingKind>();
  const { repaired, left } = await repairAll(access, async () => {
    const report = await verifyOrganization(access, organization.code, withJobs);
    for (const { kind, mend } of report.findings) if (mend) mendable.add(kind);
    return { organizations: [report], strays: [] };
  });
  return { repaired: repaired.length, mendable, left: foundIn(left.organizations[0]!) };
}

describe('while eight writers write without pause', () => {
  /** What is never repaired; and what writers put right themselves. */
  const others: readonly FindingKind[] = [
    'head-missing',
    'head-form',
    'head-malformed',
    'event-missing',
    'event-order',
    'record-id',
    'revision-in-head',
    'grant-of-nobody',
    'number-of-other',
    'number-of-nobody',
    'reference-broken',
    'pipeline-missing',
    'turn-behind',
    'unknown-item',
    'more',
    'unsettled',
  ];
  const { at, edit, get, head, idAt, notesOf, put, unique } = items;

  /** Damages that do not hide each other. */
  const names = [
    'a record is beyond the last number',
    'an offset is not among the holes',
    'a bucket cannot be read',
    'a unique value is not held',
    'a unique value is held for nobody',
    'a unique value is held for something else',
    'a record is in a list of another organization',
    'a rank is there twice',
    'an owner counts none',
    'a grant is gone',
    'a revoked token has its grant again',
    'a grant lives longer',
    'nothing notes that members left a list of a record',
    'a member has left as well',
    'holes are noted of a bucket that there is not',
    'the item of a state cannot be read',
    'a record has another state than its list',
    'a lead is found by another name',
    'a phone number is held for no organization',
    'a lead says that its number has opted out, which has not',
    'a lead counts its inquiries otherwise than they are',
  ];
  async function damageAll(): Promise<void> {
    const damages = new Map(
      [...damagesOf(items, () => filled), ...jobDamagesOf(items)].map(([name, damage]) => [name, damage]),
    );
    for (const name of names) await damages.get(name)!();
    await put({ ...unique('LEAD.phone', '+61491570156'), id: idAt('lead', 4) });
    await edit(at('SERVICE', 1), (service) => ({ ...service, revision: 10 ** 9 }));
    await put({ ...notesOf('FAQ', firstBucket), 0: 1 });
    await edit(at('FAQ', 1), (faq) => ({ ...faq, revision: 1 }));
    await edit(at('TRANSFER', 1), ({ revision, ...transfer }) => transfer);
  }

  /** Puts an event where the next write would have its own: nothing can be written any more. */
  async function blockWrites(): Promise<void> {
    for (;;) {
      const id = ((await get(head()))['version'] as number) + 1;
      const event = await get(at('EVENT', 1));
      const Item = { ...event, ...at('EVENT', id), id, revision: id };
      const isPut = await items.add(Item);
      if (isPut) return;
    }
  }

  test('each kind of damage that follows from the records is repaired', async () => {
    tableName = await newPlainTable();
    filled = await newFilledOrganization(tableName);
    ({ organization } = filled);
    const { ledger } = organization.openLedger();
    await fillJobs(ledger);
    for (let count = 0; count < 10; count++) await createLead(ledger, { name: `Old ${count}` });
    await storeAsBefore(client, tableName, organization.code);
    await damageAll();
    const writing = startWriters(filled, 8);
    try {
      await vi.waitUntil(() => writing.stored() > 24, 30_000);
      await blockWrites();
      const { mendable, left } = await repair();
      expect(left).toEqual([]);
      expect(findingKinds.filter((kind) => !mendable.has(kind))).toEqual(others);
    } finally {
      await writing.end();
    }
    expect(await repair()).toMatchObject({ repaired: 0, left: [] });
  });
});
