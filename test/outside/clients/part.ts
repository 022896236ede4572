import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deepStrictEqual } from 'node:assert';
import { variantsExpected } from '../../support/client-calls.ts';
import { runs } from '../commands.ts';
import type { Part } from '../part.ts';
import type { Client, Understood } from './client.ts';
import { go } from './go.ts';
import { java } from './java.ts';
import { typescriptFetch } from './typescript-fetch.ts';
import { addedLater, WatchedMachine } from './watched-machine.ts';

/** Generators that need the same language's tools. */
interface Half {
  clients: Client[];
  isThere: () => Promise<boolean>;
  /** Sentence if the tools are missing. */
  leftOut: string;
}

const halves: Half[] = [
  {
    clients: [go],
    isThere: () => runs('go', 'version'),
    leftOut: 'there is no Go for the client of oapi-codegen',
  },
  {
    clients: [java('native'), java('okhttp-gson'), typescriptFetch],
    isThere: async () => (await runs('java', '-version')) && (await runs('mvn', '--version')),
    leftOut: 'there is no Java, or no Maven, for the clients of openapi-generator',
  },
];

export const clients: Part = {
  name: 'clients',
  about: 'generates clients in Go, Java and TypeScript, and calls every operation with each',
  missing: async () => {
    const there = await Promise.all(halves.map(({ isThere }) => isThere()));
    return there.some(Boolean) ? undefined : `${halves.map(({ leftOut }) => leftOut).join(', and ')}.`;
  },
  run: async () => {
    const machine = await WatchedMachine.start();
    try {
      for (const half of halves) {
        if (await half.isThere()) for (const client of half.clients) await tryOut(client, machine);
        else print(`Left out: ${half.leftOut}.`);
      }
    } finally {
      await machine.close();
    }
  },
};

/** Makes every call with a client. @throws Error if the client reads an answer otherwise than it was sent */
async function tryOut({ name, call, unread = [] }: Client, machine: WatchedMachine): Promise<void> {
  const startedAt = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'client-'));
  try {
    const task = await machine.newTask();
    machine.takeBodies();
    const understood = await call(task, folder);
    check(understood, machine.takeBodies(), unread);
    const seconds = (performance.now() - startedAt) / 1000;
    print(`${name}: ${understood.length} calls, ${seconds.toFixed(0)} seconds`);
  } catch (error) {
    throw new Error(`${name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function check(understood: Understood[], bodies: unknown[], unread: readonly string[]): void {
  deepStrictEqual(
    understood.flatMap(({ variants }) => variants),
    variantsExpected,
  );
  deepStrictEqual(understood.length, bodies.length, 'a call was not made once');
  for (const [at, { operationId, answer }] of understood.entries()) {
    if (unread.includes(operationId)) continue;
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
