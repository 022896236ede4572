import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as v from 'valibot';

/** A function to call: the file of its handler, and the event that it gets each time. */
export interface WarmFunction {
  file: string;
  event: object;
}

const Times = v.array(v.array(v.number()));

/**
 * Stands in for Lambda's runtime, as that of cold starts does, for several functions in turn: so what slows the machine down for
 * a while slows all of them.
 */
const runtime = `
require('http');
const { readFileSync } = require('fs');
const [, , file, calls] = process.argv;
const write = process.stdout.write.bind(process.stdout);
process.stdout.write = () => true;
const context = { awsRequestId: 'warm', functionName: 'warm', getRemainingTimeInMillis: () => 15000 };
(async () => {
  const functions = [];
  for (const { file: code, event } of JSON.parse(readFileSync(file, 'utf8')))
    functions.push({ event, times: [], ...(await import(code)) });
  for (let call = -200; call < Number(calls); call++)
    for (const { handler, event, times } of functions) {
      const started = performance.now();
      const { statusCode, body } = await handler({ ...event }, context);
      if (statusCode >= 300) throw new Error(statusCode + ' ' + body);
      if (call >= 0) times.push(performance.now() - started);
    }
  write(JSON.stringify(functions.map(({ times }) => times)), () => process.exit());
})();
`;

/** Calls functions in a process of their own, with files in this folder, and with this environment alone. */
export function warmCaller(folder: string, environment: Record<string, string>) {
  const [runtimeFile, file] = [join(folder, 'warm-runtime.cjs'), join(folder, 'warm-functions.json')];
  writeFileSync(runtimeFile, runtime);
  /**
   * Returns the milliseconds of each call after the first 200, by function.
   * @throws Error if a function answers with an error
   */
  return async (functions: readonly WarmFunction[], calls: number): Promise<number[][]> => {
    writeFileSync(file, JSON.stringify(functions));
    const args = [runtimeFile, file, String(calls)];
    const { stdout } = await promisify(execFile)(process.execPath, args, { env: environment });
    return v.parse(v.pipe(v.string(), v.parseJson(), Times), stdout);
  };
}
