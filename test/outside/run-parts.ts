import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { localMessageOf } from '../../infra/local/local-error.ts';
import type { Part } from './part.ts';

/** Runs parts one after the other, and prints their outcomes at the end. Returns false if one failed. */
export async function runParts(parts: readonly Part[], print: (text: string) => void): Promise<boolean> {
  const outcomes: Outcome[] = [];
  for (const part of parts) outcomes.push(await runPart(part, print));
  print(`\n${outcomes.map(({ line }) => `${line}\n`).join('')}`);
  return !outcomes.some(({ failed }) => failed);
}

/** Outcome of a part, in a line. */
interface Outcome {
  line: string;
  failed: boolean;
}

async function runPart(part: Part, print: (text: string) => void): Promise<Outcome> {
  const missing = await part.missing();
  if (missing !== undefined) return { line: `${part.name} was left out: ${missing}`, failed: false };
  print(`\n${part.name} ${part.about}\n`);
  const folder = mkdtempSync(join(tmpdir(), `${part.name}-`));
  const startedAt = performance.now();
  try {
    await part.run(folder);
    const seconds = (performance.now() - startedAt) / 1000;
    return { line: `${part.name} passed in ${seconds.toFixed(0)} seconds.`, failed: false };
  } catch (error) {
    return { line: `${part.name} failed: ${localMessageOf(error)}`, failed: true };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
