import { globSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { TestedOperation } from './operations/operation.ts';

const notSubjects = ['operation.ts', 'samples.ts'];

/** Entries of all operations, by operationId. The entries of a subject are in its file in `operations`. */
export const everyOperation: ReadonlyMap<string, TestedOperation> = new Map(await readAll());

async function readAll(): Promise<[string, TestedOperation][]> {
  const folder = join(import.meta.dirname, 'operations');
  const files = globSync('*.ts', { cwd: folder })
    .sort()
    .filter((file) => !notSubjects.includes(file));
  const modules = await Promise.all(
    files.map(async (file) => {
      const module = (await import(pathToFileURL(join(folder, file)).href)) as {
        operations: Record<string, TestedOperation>;
      };
      return Object.entries(module.operations);
    }),
  );
  return modules.flat();
}

/**
 * Operations that come last, by operationId: others need the lead that `deleteLead` deletes, and `deleteLead`
 * needs a lead that is not erased.
 */
const last = ['deleteLead', 'eraseLead'];

/** Orders operations so that each finds what it needs. */
export const neededFirst = (one: { operationId: string }, other: { operationId: string }): number =>
  last.indexOf(one.operationId) - last.indexOf(other.operationId);

/** Entry of one operation. @throws Error for an operation without an entry */
export function testedOperation(operationId: string): TestedOperation {
  const tested = everyOperation.get(operationId);
  if (!tested)
    throw new Error(
      `The endpoint ${operationId} has no entry: add ${operationId} to its subject's file in test/support/operations`,
    );
  return tested;
}
