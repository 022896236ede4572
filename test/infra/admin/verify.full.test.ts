import { beforeEach, describe, expect, test } from 'vitest';
import { collections } from '../../../infra/admin/table/collections.ts';
import { verifyOrganization } from '../../support/verify-organization.ts';
import { createLead, deleteLead } from '../../../shared/domain/leads/leads.ts';
import { updateMember } from '../../../shared/domain/tokens/change-member.ts';
import { fillOrganization, type FilledOrganization } from './filled-organization.ts';
import { foundIn } from './found-in.ts';
import { addJobs, addTeams, removeTeam, withJobs } from './jobs.ts';
import { itemsOf } from './stored-items.ts';
import { TableInMemory } from './table-in-memory.ts';
import { startWriters } from './writers.ts';

let table: TableInMemory;
let filled: FilledOrganization;
beforeEach(async () => {
  table = new TableInMemory();
  const organization = await table.found();
  filled = await table.run(() => fillOrganization(organization));
});

const code = () => filled.organization.code;
const { at, edit, head, put, remove, restate, unique } = itemsOf(() => ({
  items: table.items,
  code: code(),
}));
const verify = () => verifyOrganization(table.access, code());
const found = async () => foundIn(await table.run(verify));

describe('an organization with a record of every kind', () => {
  test('is whole, and so is a new one', async () => {
    const { findings, counts, version, name, items } = await table.run(verify);
    expect(findings).toEqual([]);
    expect({ name, version }).toEqual({ name: 'Test', version: counts['EVENT'] });
    expect(counts).toMatchObject({ LEAD: 2, INQUIRY: 5, NOTE: 2, TOKEN: 7, MEMBER: 2, PRODUCT: 1 });
    expect(items).toBeGreaterThan(50);
    expect(collections.map((one) => one.name).filter((one) => !counts[one])).toEqual([]);
    const other = await table.found();
    const report = await table.run(() => verifyOrganization(table.access, other.code));
    expect(report.findings).toEqual([]);
  });

  test('may have the grant of an expired token of a disabled member', async () => {
    await table.run(async () => {
      const { ledger } = filled.organization.openLedger();
      await updateMember(ledger, 2, { role: 'OWNER' });
      await updateMember(ledger, 1, { isDisabled: true });
    });
    expect(await found()).toEqual([]);
  });

  test('may have hundreds of unknown collections, attributes and holes', async () => {
    await table.run(async () => {
      const { ledger } = filled.organization.openLedger();
      const ids: string[] = [];
      for (let count = 0; count < 140; count++)
        ids.push((await createLead(ledger, { name: `L${count}` })).id);
      for (const id of ids.filter((_, index) => index % 3 > 0)) await deleteLead(ledger, id);
    });
    await edit(at('FAQ', 1), (faq) => ({ ...faq, ofALaterVersion: true }));
    expect(await found()).toEqual([]);
  });
});

test('former items are read by the hundred, and only if their lists have members', async () => {
  const verifyJobs = () => verifyOrganization(table.access, code(), withJobs);
  const count = 120;
  const numbers = Array.from({ length: count }, (_, at) => at + 1);
  const { ledger } = filled.organization.openLedger();
  const inPortions = async (act: (portion: number[]) => Promise<void>) => {
    for (let at = 0; at < count; at += 30) await act(numbers.slice(at, at + 30));
  };
  const { TransactGetItems: before = 0 } = await table.callsOf(verifyJobs);
  await table.run(async () => {
    await inPortions((portion) => addTeams(ledger, portion.length));
    await inPortions((portion) => removeTeam(ledger, ...portion));
  });
  expect((await table.callsOf(verifyJobs))['TransactGetItems']).toBeLessThan(before + 40);
  await table.run(async () => {
    await inPortions((portion) => addTeams(ledger, portion.length));
    const teams = (portion: number[]) => portion.map((number) => count + number);
    await inPortions((portion) =>
      addJobs(ledger, ...teams(portion).map((team) => ({ state: 'OPEN', team, tag: '' }))),
    );
    await inPortions((portion) => removeTeam(ledger, ...teams(portion)));
  });
  expect((await table.callsOf(verifyJobs))['TransactGetItems']).toBeLessThan(before + 40);
  expect((await table.run(verifyJobs)).findings).toEqual([]);
});

test('a head that gave out a trillion numbers does not hold verify up', async () => {
  await restate(head(), 'POLICY', 'CRE66I9R');
  const kinds = (await table.run(verify)).findings.map(({ kind }) => kind);
  expect(kinds).toHaveLength(1001);
  expect(new Set(kinds)).toEqual(new Set(['more', 'record-missing']));
});

describe('while twenty writers write without pause', () => {
  let writing: ReturnType<typeof startWriters>;
  /** Runs `act` while the writers write, then ends them. */
  const meanwhile = (act: () => Promise<void>) => {
    table.beReal();
    return table.run(async () => {
      writing = startWriters(filled);
      try {
        await act();
      } finally {
        await writing.end();
      }
    });
  };

  test('an undamaged organization has no finding', async () => {
    const versions = new Set<number>();
    await meanwhile(async () => {
      // Limited: without it the loop would go on for ever after a writer failed.
      for (let run = 0; run < 200 && (writing.stored() < 100 || versions.size <= 2); run++) {
        const { findings, version } = await verify();
        expect(findings).toEqual([]);
        versions.add(version!);
      }
    });
    expect(writing.stored()).toBeGreaterThanOrEqual(100);
    expect(versions.size).toBeGreaterThan(2);
    expect(await found()).toEqual([]);
  });

  test('damage is found', async () => {
    await meanwhile(async () => {
      await remove(at('POLICY', 1));
      await remove(unique('LEAD.email', 'ann@example.com'));
      await restate(at('LEAD', 1), 'EVENT#1', '2S');
      await put({ ...head(), sk: 'BACKUP' });
      expect(foundIn(await verify()).sort()).toEqual([
        ['list-wrong', `the list EVENT#1 of ${filled.records.leadId}`],
        ['record-missing', 'policy 1'],
        ['unique-not-held', filled.records.leadId],
        ['unknown-item', `ORG#${code()} BACKUP`],
      ]);
    });
  });
});
