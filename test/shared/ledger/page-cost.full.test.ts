import { beforeAll, expect, test } from 'vitest';
import { addPipeline } from '../../../shared/domain/leads/pipeline-record.ts';
import { deleteLead, listLeads } from '../../../shared/domain/leads/leads.ts';
import { recordId } from '../../../shared/core/ids.ts';
import { bucketSize } from '../../../shared/ledger/internal/list-state.ts';
import { addLeads } from './many-leads.ts';
import { SimulatedLedger } from './simulated-ledger.ts';

const total = 20_000;
/** Number of leads that fit into one transaction with their events, the head and the pipeline. */
const leadsPerWrite = 49;

let simulated: SimulatedLedger;
beforeAll(async () => {
  simulated = await SimulatedLedger.found();
  await simulated.run((ledger) =>
    ledger.write({}, (write) => {
      addPipeline(write);
      write.event({ event: 'TEST', data: 'A test', referenceId: '1' });
    }),
  );
  for (let done = 0; done < total; done += leadsPerWrite) {
    const count = Math.min(leadsPerWrite, total - done);
    const some = Array.from({ length: count }, (_, at) => ({
      firstName: String(done + at + 1).padStart(5, '0'),
    }));
    await simulated.run((ledger) => addLeads(ledger, some));
  }
  // On a machine that has much else to do.
});

const pageOf = async (page: number) => {
  const { result, cost } = await simulated.run((ledger) => listLeads(ledger, { page, limit: 50 }));
  const { calls, readUnits } = cost;
  const numbers = result.items.map(({ firstName }) => Number(firstName));
  return { numbers, totalCount: result.totalCount, cost: { calls, readUnits } };
};

const numbersFrom = (first: number) => Array.from({ length: 50 }, (_, at) => first - at);

test('a page of 50 costs the same calls and read units anywhere in 20,000 leads', async () => {
  const first = await pageOf(1);
  expect(first).toMatchObject({ numbers: numbersFrom(total), totalCount: total });
  // The head, and 50 leads of about 500 bytes at a unit per 4 KB, strongly consistent.
  expect(first.cost).toMatchObject({ calls: 2, readUnits: 1 + 7 });
  for (const page of [2, 37, 100, 250, 399, 400]) {
    expect(await pageOf(page)).toEqual({
      numbers: numbersFrom(total - (page - 1) * 50),
      totalCount: total,
      cost: first.cost,
    });
  }
});

test('among deleted leads a page also reads the counts by bucket, and its buckets, at half a unit each', async () => {
  const { cost } = await pageOf(1);
  const deleted = [19_990, 15_000, 12_289, 12_288, 8_193, 8_192, 4_097, 4_096, 4_000, 1];
  for (const number of deleted) {
    await simulated.run((ledger) => deleteLead(ledger, recordId('lead', simulated.code, number)));
  }
  const left = Array.from({ length: total }, (_, at) => total - at).filter(
    (number) => !deleted.includes(number),
  );
  const bucketOf = (number: number) => Math.floor((number - 1) / bucketSize);
  const notesRead: number[] = [];
  for (const page of [1, 2, 37, 100, 155, 156, 250, 399]) {
    const { numbers, totalCount, cost: actual } = await pageOf(page);
    expect(numbers).toEqual(left.slice((page - 1) * 50, page * 50));
    expect(totalCount).toBe(left.length);
    // Of the first two pages the head says all: they are among the newest numbers, whose holes it has.
    const buckets = new Set(numbers.map(bucketOf)).size;
    const notes = page <= 2 ? 0 : 1 + buckets;
    notesRead.push(notes);
    expect(actual, `page ${page}`).toMatchObject({
      calls: cost.calls + notes,
      readUnits: cost.readUnits + notes / 2,
    });
  }
  expect(notesRead).toEqual([0, 0, 2, 2, 3, 2, 2, 2]);
  expect(new Set(deleted.map(bucketOf)).size).toBe(5);
});
