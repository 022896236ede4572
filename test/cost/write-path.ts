import { Session } from 'node:inspector/promises';
import { pathToFileURL } from 'node:url';
import { recordEvent } from '../../shared/domain/events/record-event.ts';
import { createLead } from '../../shared/domain/leads/leads.ts';
import { addPipeline } from '../../shared/domain/leads/pipeline-record.ts';
import { SimulatedLedger } from '../shared/ledger/simulated-ledger.ts';

/** Named functions that one verb calls, by file below `shared`: the code that its reader has to follow. */
type WritePath = ReadonlyMap<string, readonly string[]>;

/**
 * The write path of one `createLead` with an email and a phone number, that meets no other writer. V8 counts
 * the calls. Functions without a name belong to the function that has them, and the initializers of a class
 * to its constructor.
 */
export async function pathOfCreateLead(): Promise<WritePath> {
  const simulated = new SimulatedLedger();
  await simulated.run((ledger) =>
    ledger.found('AU', (write) => {
      addPipeline(write);
      recordEvent(write, { event: 'ORGANIZATION_CREATED', about: 'org' });
    }),
  );
  // Code that runs once, as it is loaded, is no part of a write.
  await simulated.run((ledger) =>
    createLead(ledger, { name: 'Ann Lee', email: 'ann@example.com', phone: '0491 570 156' }),
  );
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  const { result } = await simulated.run(async (ledger) => {
    await session.post('Profiler.startPreciseCoverage', { callCount: true });
    await createLead(ledger, { name: 'Bo Berg', email: 'bo@example.com', phone: '0491 570 157' });
    return session.post('Profiler.takePreciseCoverage');
  });
  session.disconnect();
  const root = new URL('../../shared/', import.meta.url).href;
  return new Map(
    result.result.flatMap(({ url, functions }) => {
      const names = functions.flatMap(({ functionName, ranges }) =>
        /^[#\w]/.test(functionName) && (ranges[0]?.count ?? 0) > 0 ? [functionName] : [],
      );
      const file = url.slice(root.length);
      const isOfVerb = url.startsWith(root) && /^(?:domain|ledger|core)\//.test(file);
      return isOfVerb && names.length > 0 ? [[file, names] as const] : [];
    }),
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const path = await pathOfCreateLead();
  const files = [...path].map(([file, names]) => `${file} (${names.length}): ${names.join(', ')}\n`);
  const functions = [...path.values()].reduce((sum, names) => sum + names.length, 0);
  process.stdout.write(`${files.join('')}${path.size} files, ${functions} functions\n`);
}
