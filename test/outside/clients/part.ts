import { join } from 'node:path';
import { deepStrictEqual } from 'node:assert';
import { variantsExpected } from './client-calls.ts';
import type { Part } from '../part.ts';
import type { Client, Understood } from './client.ts';
import { go } from './go.ts';
import { typescript } from './typescript.ts';
import { addedLater, WatchedMachine } from './watched-machine.ts';

const all: readonly Client[] = [typescript, go];

export const clients: Part = {
  name: 'clients',
  about: 'generates clients in TypeScript and Go, and calls every operation with each',
  missing: async () => {
    const sentences = await Promise.all(all.map((client) => client.missing()));
    return sentences.includes(undefined) ? undefined : sentences.join(' ');
  },
  run: async (folder) => {
    const machine = await WatchedMachine.start();
    try {
      for (const [at, client] of all.entries()) {
        const missing = await client.missing();
        if (missing === undefined) await tryOut(client, machine, join(folder, String(at)));
        else print(`${client.name} was left out: ${missing}`);
      }
    } finally {
      await machine.close();
    }
  },
};

/** Makes every call with a client. @throws Error if the client reads an answer otherwise than it was sent */
async function tryOut({ name, call }: Client, machine: WatchedMachine, folder: string): Promise<void> {
  const startedAt = performance.now();
  try {
    const task = await machine.newTask();
    machine.takeBodies();
    const understood = await call(task, folder);
    check(understood, machine.takeBodies());
    const seconds = (performance.now() - startedAt) / 1000;
    print(`${name}: ${understood.length} calls, ${seconds.toFixed(0)} seconds`);
  } catch (error) {
    throw new Error(`${name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

function check(understood: Understood[], bodies: unknown[]): void {
  deepStrictEqual(
    understood.flatMap(({ variants }) => variants),
    variantsExpected,
  );
  deepStrictEqual(understood.length, bodies.length, 'a call was not made once');
  for (const [at, { operationId, answer }] of understood.entries()) {
    const known = operationId === 'getOpenApi' ? versionAlone : comparable;
    deepStrictEqual(known(answer), known(bodies[at]), `${operationId} was answered otherwise`);
  }
}

/**
 * Removes what a client's types need not keep: an unknown field, a null, and the milliseconds of a timestamp.
 */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value))
    return new Date(value).toISOString();
  if (typeof value !== 'object' || value === null) return value;
  const parts = Object.entries(value).filter(([name, part]) => part !== null && name !== addedLater);
  return Object.fromEntries(parts.map(([name, part]) => [name, comparable(part)]));
}

/** Version alone of a description: a client has no types for the rest. */
const versionAlone = (description: unknown) => (description as { openapi: string }).openapi;

const print = (line: string) => process.stdout.write(`  ${line}\n`);
