import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import * as v from 'valibot';
import { connectToLoopbackAlone } from './loopback-alone.ts';
import { Invocation, type Outcome, WorkerData } from './function-messages.ts';

/**
 * One execution environment of one function, in a thread. Loads the bundle as Lambda would, then answers one
 * invocation after the other. The answer includes the function's standard output.
 */
const { folder, handler, functionName, memorySize, reachesOthers, ahead } = v.parse(WorkerData, workerData);
if (!reachesOthers) connectToLoopbackAlone();

/** The computer's clock. */
const now = Date.now;
// The service's only source of time.
Date.now = () => now() + (ahead[0] ?? 0);

let output = '';
process.stdout.write = (chunk: string | Uint8Array): boolean => {
  output += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
  return true;
};

const [file = '', name = ''] = handler.split('.');
const loading = load();
// If the bundle does not load, the first invocation reports it.
loading.catch(() => undefined);

async function load() {
  const module: unknown = await import(pathToFileURL(join(folder, `${file}.mjs`)).href);
  const exported = v.parse(v.looseObject({ [name]: v.function() }), module)[name];
  return v.parse(v.function(), exported);
}

async function invoke({ id, event, deadline }: Invocation): Promise<Outcome> {
  const context = {
    awsRequestId: id,
    functionName,
    functionVersion: '$LATEST',
    memoryLimitInMB: String(memorySize),
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
  };
  try {
    const run = await loading;
    const result: unknown = await run(event, context);
    // Lambda sends JSON, so values that JSON drops are dropped here, too.
    return { id, result: JSON.stringify(result ?? null), output };
  } catch (error) {
    const { name: type, message, stack = '' } = error instanceof Error ? error : new Error(String(error));
    return { id, error: { type, message, stack }, output };
  }
}

parentPort?.on('message', (message: unknown) => {
  output = '';
  void invoke(v.parse(Invocation, message)).then((outcome) => parentPort?.postMessage(outcome));
});
