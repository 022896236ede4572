import { beforeAll, expect, test } from 'vitest';
import { events } from '../../../shared/ledger/internal/collection.ts';
import { everyOperation } from '../../support/operations.ts';
import { fill, type Records } from '../../support/records.ts';
import { faultyStore } from '../../support/faulty-store.ts';
import { newOrganization, type TestOrganization } from '../../support/world.ts';
import { Failure } from '../../../shared/core/failure.ts';

let ours: TestOrganization;
let theirs: TestOrganization;
let ourRecords: Records;
let theirRecords: Records;
beforeAll(async () => {
  [ours, theirs] = [await newOrganization(), await newOrganization()];
  ourRecords = await fill(ours);
  theirRecords = await fill(theirs);
});

/** Number of events of an organization. */
const history = async (organization: TestOrganization) =>
  (await organization.openLedger().ledger.page(events, { page: 1, limit: 1 })).totalCount;

/** The ids that name their organization; all others are numbers, which mean something in each. */
const namesOrganization: (keyof Records)[] = ['userId', 'leadId', 'inquiryIds', 'companyId', 'appointmentId'];
/** The list of what an unknown user or lead has. */
const emptyPage = { items: [], totalCount: 0 };

test.each([...everyOperation].flatMap(([name, { run }]) => (run ? [[name, run] as const] : [])))(
  "%s with another organization's ids finds nothing, and touches nothing of it",
  async (_, run) => {
    const before = await history(theirs);
    const { store, owners } = faultyStore(() => 'pass');
    const [{ ledger }, later] = [ours.openLedger({ store }), ours.openLedger({ store })];
    const used = new Set<keyof Records>();
    const records = new Proxy(theirRecords, {
      get: (target, name: keyof Records) => {
        used.add(name);
        return target[name];
      },
    });
    const result = await Promise.resolve()
      .then(() => run(ledger, records, later.ledger))
      .catch((error: unknown) => error);
    if (namesOrganization.some((name) => used.has(name)))
      expect(result instanceof Failure ? emptyPage : result).toEqual(emptyPage);
    for (const owner of owners) expect(owner).toBe(`ORG#${ours.code}`);
    expect(await history(theirs)).toBe(before);
    expect(JSON.stringify(result ?? null)).not.toContain(theirs.code);
  },
);

test('both organizations have the same record numbers, so only the organization tells the records apart', () => {
  expect({ ...ourRecords, ...pick(theirRecords) }).toEqual(theirRecords);
});

const pick = ({ userId, leadId, inquiryIds, companyId, appointmentId }: Records) => ({
  userId,
  leadId,
  inquiryIds,
  companyId,
  appointmentId,
});
