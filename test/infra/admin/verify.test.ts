import { verifyOrganization } from '../../../infra/admin/verify/verify-organization.ts';
import { collections } from '../../../infra/admin/verify/collections.ts';
import { clientOf } from '../../../infra/local/engine.ts';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { realSystem } from '../../../shared/core/system.ts';
import { createLead, deleteLead } from '../../../shared/domain/leads/leads.ts';
import { engine, newOrganization, newPlainTable } from '../../support/world.ts';
import { damagesOf } from './damages.ts';
import { newFilledOrganization, type FilledOrganization } from './filled-organization.ts';
import { foundIn } from './found-in.ts';
import { storedItems } from './stored-items.ts';
import { imageOf } from './table-image.ts';
import { startWriters } from './writers.ts';

const client = clientOf(engine);
let tableName: string;
let filled: FilledOrganization;
let image: Awaited<ReturnType<typeof imageOf>>;
beforeAll(async () => {
  tableName = await newPlainTable();
  filled = await newFilledOrganization(tableName);
  image = await imageOf(client, tableName);
});
afterEach(() => image.restore());
afterAll(() => {
  client.destroy();
});

const access = () => ({ client, tableName, system: realSystem });
const verify = () => verifyOrganization(access(), filled.organization.code);
const found = async () => foundIn(await verify());
const items = storedItems(client, () => ({ tableName, code: filled.organization.code }));
const { at, edit, head, put, remove, restate, unique } = items;

describe('an organization with a record of every kind', () => {
  test('is whole, and so is one that was just founded', async () => {
    const { findings, counts, version, name, items } = await verify();
    expect(findings).toEqual([]);
    expect({ name, version }).toEqual({ name: 'Test', version: counts['EVENT'] });
    expect(counts).toMatchObject({ LEAD: 2, INQUIRY: 5, NOTE: 2, TOKEN: 5, MEMBER: 1, PRODUCT: 1 });
    expect(items).toBeGreaterThan(50);
    const other = await newOrganization('NZ', tableName);
    expect((await verifyOrganization(access(), other.code)).findings).toEqual([]);
  });

  test('has one of every collection', async () => {
    const { counts } = await verify();
    expect(collections.map(({ name }) => name).filter((name) => !counts[name])).toEqual([]);
  });

  test('may have collections, attributes and holes by the hundred that are right', async () => {
    const { ledger } = filled.organization.openLedger();
    const ids: string[] = [];
    for (let count = 0; count < 140; count++) ids.push((await createLead(ledger, { name: `L${count}` })).id);
    for (const id of ids.filter((_, index) => index % 3 > 0)) await deleteLead(ledger, id);
    await edit(at('FAQ', 1), (faq) => ({ ...faq, ofALaterVersion: true }));
    expect(await found()).toEqual([]);
  });
});

describe('damage is found, and nothing else', () => {
  test.each(damagesOf(items, () => filled))('%s', async (_, damage, expected) => {
    await damage();
    expect(await found()).toEqual(expected());
  });

  test('a number that the head gave out a trillion times is not waited for', async () => {
    await restate(head(), 'POLICY', '999999999999');
    const kinds = (await verify()).findings.map(({ kind }) => kind);
    expect(kinds).toHaveLength(1001);
    expect(new Set(kinds)).toEqual(new Set(['more', 'record-missing']));
  });
});

describe('while twenty writers write without pause', () => {
  test('nothing is found where nothing is wrong', async () => {
    const writing = startWriters(filled);
    const versions = new Set<number>();
    try {
      // Without a limit it would go on for ever where a writer ends.
      for (let run = 0; run < 200 && (writing.stored() < 200 || versions.size <= 5); run++) {
        const { findings, version } = await verify();
        expect(findings).toEqual([]);
        versions.add(version!);
      }
    } finally {
      await writing.end();
    }
    expect(writing.stored()).toBeGreaterThanOrEqual(200);
    expect(versions.size).toBeGreaterThan(5);
    expect(await found()).toEqual([]);
  });

  test('damage is found', async () => {
    const writing = startWriters(filled);
    try {
      await remove(at('POLICY', 1));
      await remove(unique('LEAD.email', 'ann@example.com'));
      await restate(at('LEAD', 1), 'EVENT#1', '100');
      await put({ ...head(), sk: 'BACKUP' });
      expect((await found()).sort()).toEqual([
        ['rank-missing', `the list EVENT#1 of ${filled.records.leadId}`],
        ['record-missing', 'policy 1'],
        ['unique-missing', filled.records.leadId],
        ['unknown-item', `ORG#${filled.organization.code} BACKUP`],
      ]);
    } finally {
      await writing.end();
    }
  });
});
