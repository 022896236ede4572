import { expect, test } from 'vitest';
import { clientOf } from '../../../infra/local/engine.ts';
import { createLead, getLead } from '../../../shared/domain/leads/leads.ts';
import { realSystem } from '../../../shared/core/system.ts';
import { openStore } from '../../../shared/ledger/internal/store.ts';
import { faults } from '../../support/store/faults.ts';
import { faultyStore } from '../../support/store/faulty-store.ts';
import { engine, newOrganization } from '../../support/test-organization.ts';

test('the warm-up sends one call, and ignores its failure', async () => {
  const works = faultyStore(() => 'pass');
  await works.store.warmUp();
  expect(works.commands).toEqual(['GetItemCommand']);
  const fails = faultyStore(() => ({ before: faults.denied }));
  await expect(fails.store.warmUp()).resolves.toBeUndefined();
  const hangs = faultyStore(() => ({ before: faults.timeout }), {
    now: () => 0,
    random: () => 0.9,
    sleep: () => Promise.resolve(),
  });
  await expect(hangs.store.warmUp()).resolves.toBeUndefined();
  // After waits of 9, 18, 36, 72, 144 and 288 ms; the next would take longer than there is time.
  expect(hangs.commands).toHaveLength(7);
});

test('the SDK does not log', async () => {
  const logged: unknown[] = [];
  const log = (entry: unknown) => void logged.push(entry);
  const logger = { trace: log, debug: log, info: log, warn: log, error: log };
  const organization = await newOrganization();
  const store = openStore(clientOf(engine, { logger }), 'Table', realSystem);
  const { ledger } = organization.openLedger({ store });
  await expect(createLead(ledger, { name: 'Ann' })).rejects.toThrow();
  await expect(getLead(ledger, `lead_${organization.code}00000001`)).rejects.toThrow();
  expect(JSON.stringify(logged)).not.toContain('TableName');
});
