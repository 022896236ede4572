import { globSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { TestedOperation } from './operations/operation.ts';

const notSubjects = ['operation.ts', 'samples.ts'];

/** What tests know of each operation, by its operationId: one that is added has a file of its subject in `operations`. */
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

/** By their operationIds: other operations need the lead that the first deletes, and this one that it is not erased yet. */
const last = ['deleteLead', 'eraseLead'];

/** Puts operations into an order in which each finds what it needs. */
export const neededFirst = (one: { operationId: string }, other: { operationId: string }): number =>
  last.indexOf(one.operationId) - last.indexOf(other.operationId);

/** What tests know of one operation. @throws Error where there is no such */
export function testedOperation(operationId: string): TestedOperation {
  const tested = everyOperation.get(operationId);
  if (!tested)
    throw new Error(
      `The endpoint ${operationId} has no entry: add ${operationId} to its subject's file in test/support/operations`,
    );
  return tested;
}
