import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as v from 'valibot';

/** How a function's first request went, in milliseconds. */
export type ColdStart = v.InferOutput<typeof ColdStart>;
const ColdStart = v.object({
  /** Loading the function. */
  init: v.number(),
  /** From its event to its answer. */
  request: v.number(),
  /** From the start of the process to the answer. */
  total: v.number(),
  /** 200 for an answer that has none. */
  status: v.number(),
  body: v.string(),
});

/**
 * What stands for Lambda's runtime: `http` is loaded before the function, whose handler is then given one event. Plain
 * JavaScript in a file of its own, since stripping types takes as long as what is measured.
 */
const runtime = `
require('http');
const { readFileSync } = require('fs');
const [, , file, event] = process.argv;
const write = process.stdout.write.bind(process.stdout);
process.stdout.write = () => true;
(async () => {
  const started = performance.now();
  const { handler } = await import(file);
  const loaded = performance.now();
  const context = { awsRequestId: 'cold', functionName: 'cold', getRemainingTimeInMillis: () => 15000 };
  const { statusCode: status = 200, body = '' } = await handler(JSON.parse(readFileSync(event, 'utf8')), context);
  const answered = performance.now();
  const result = { init: loaded - started, request: answered - loaded, total: answered, status, body };
  write(JSON.stringify(result), () => process.exit());
})();
`;

/** Starts functions each in a process of its own, with files in this folder, and this environment and no other. */
export function coldStarter(folder: string, environment: Record<string, string>) {
  const runtimeFile = join(folder, 'runtime.cjs');
  writeFileSync(runtimeFile, runtime);
  /** @throws Error when the function answers with an error. */
  return async (file: string, event: object): Promise<ColdStart> => {
    const eventFile = join(folder, 'event.json');
    writeFileSync(eventFile, JSON.stringify(event));
    const args = [runtimeFile, file, eventFile];
    const { stdout } = await promisify(execFile)(process.execPath, args, { env: environment });
    const result = v.parse(v.pipe(v.string(), v.parseJson(), ColdStart), stdout);
    if (result.status >= 300) throw new Error(`${file} answered ${result.status}: ${result.body}`);
    return result;
  };
}
