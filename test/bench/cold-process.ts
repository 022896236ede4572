import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as v from 'valibot';

/** Times of a function's first request, in milliseconds. */
export type ColdStart = v.InferOutput<typeof ColdStart>;
const ColdStart = v.object({
  /** Milliseconds that the function took to load. */
  init: v.number(),
  /** Milliseconds from the event to the answer. */
  request: v.number(),
  /** Milliseconds from the start of the process to the answer. */
  total: v.number(),
  /** Status of the answer, or 200 if the answer has none. */
  status: v.number(),
  body: v.string(),
});

/**
 * Stands in for Lambda's runtime: loads `http` before the function, then hands one event to its handler. It
 * is plain JavaScript in a file of its own, since stripping types takes as long as the measured start.
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

/**
 * Starts each function in a process of its own, with files in this folder, and with this environment alone.
 */
export function coldStarter(folder: string, environment: Record<string, string>) {
  const runtimeFile = join(folder, 'runtime.cjs');
  writeFileSync(runtimeFile, runtime);
  /** @throws Error if the function answers with an error */
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
