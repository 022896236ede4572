import { onInterrupt } from '../interrupt.ts';
import { realSystem } from '../../shared/core/system.ts';
import { appendLine } from './files.ts';
import { openContainerProxy } from './proxies/container-proxy.ts';
import { takeFolder, temporaryFolder } from './data-folder.ts';
import { ensureDemo } from './demo/demo.ts';
import { startReceiver, type DemoReceiver, type Received } from './demo/receiver.ts';
import { gracefulShutdown } from './connections.ts';
import { localMessageOf, say } from './local-error.ts';
import { Machine } from './machine.ts';
import type { StartOptions } from './options.ts';
import type { WorkerRun } from './workers/worker-run.ts';
import { httpServer, listen } from './server.ts';
import type { SmsAtProvider } from './messaging/sms-stand-in.ts';
import { endLine, receivedLine, requestLine, runLine, smsLine, welcome } from './terminal.ts';

/**
 * Runs the service until Ctrl-C.
 * @throws LocalError for a port or folder in use
 */
export async function run({ port, engine, data, settings, watch, receive }: StartOptions): Promise<void> {
  let machine: Machine | undefined;
  let receiver: DemoReceiver | undefined;
  /** True when the machine no longer waits for requests. Their outcomes are then not printed. */
  let isOver = false;
  const ready = Promise.withResolvers<Machine>();
  const server = httpServer(
    async (request) => (await ready.promise).answer(request),
    (served) => {
      if (!isOver) process.stdout.write(requestLine(served));
    },
  );
  const endServer = gracefulShutdown(server, realSystem);
  // Listens first, so that a port in use is reported at once. Requests wait until everything is ready.
  const actualPort = await listen(server, port);
  const containerProxy = await openContainerProxy(
    ready.promise.then((started) => started.engine.endpoint),
    engine,
  );
  const folder = data === undefined ? temporaryFolder() : takeFolder(data);
  const stopped = new AbortController();
  const stop = async (status: number) => {
    stopped.abort();
    await receiver?.close();
    const unanswered = await endServer();
    isOver = true;
    await containerProxy.close();
    await machine?.close();
    folder.release();
    if (machine && status === 0) process.stdout.write(endLine(unanswered));
    process.exit(status);
  };
  let stopping: Promise<void> | undefined;
  onInterrupt(process, {
    stop: () => {
      stopping ??= stop(0);
    },
    end: () => {
      folder.release();
      process.exit(130);
    },
    now: Date.now,
    echo: 250,
  });
  process.on('SIGHUP', () => {
    stopping ??= stop(0);
  });
  // The reader of the output is gone. If the output is a file on a full disk, its lines are lost, and
  // requests continue.
  for (const output of [process.stdout, process.stderr])
    output.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOSPC') stopping ??= stop(0);
    });
  onNpmGone(() => {
    stopping ??= stop(0);
  });
  try {
    const keepSms = (sms: SmsAtProvider) => {
      try {
        appendLine(folder.sentSmsFile, JSON.stringify(sms));
      } catch (error) {
        say(localMessageOf(error));
        throw error;
      }
      process.stdout.write(smsLine(sms));
    };
    const onStep = (step: string) => process.stdout.write(`${step}\n`);
    const onRun = (ran: WorkerRun) => process.stdout.write(runLine(ran));
    const givenUp = stopped.signal;
    machine = await Machine.start({
      ...folder,
      settings,
      watch,
      keepSms,
      onRun,
      givenUp,
      onStep,
      reachesOthers: true,
    });
    onStep('Opening the demo organizations');
    const demo = await ensureDemo(machine);
    const { engine, tableName, smsEndpoint, textsTopicArn, secrets } = machine;
    folder.announce({ endpoint: engine.endpoint, tableName, smsEndpoint, textsTopicArn, secrets });
    ready.resolve(machine);
    const { workers } = machine;
    const { location } = machine.engine;
    const baseUrl = `http://localhost:${actualPort}`;
    const [first] = demo;
    if (receive && first) {
      const show = (received: Received) => process.stdout.write(receivedLine(received));
      receiver = await startReceiver({ baseUrl, demo: first, show });
    }
    const sentences = { containers: containerProxy.sentence, receiver: receiver?.sentence };
    process.stdout.write(welcome({ baseUrl, demo, workers, location, watch, ...sentences }));
    void machine.engine.failed.then((sentence) => {
      process.stderr.write(`${sentence}\n`);
      return (stopping ??= stop(1));
    });
  } catch (error) {
    if (!stopping) process.stderr.write(`${localMessageOf(error)}\n`);
    await (stopping ??= stop(1));
  }
}

/** Detects that the parent npm was killed without a signal to this process. */
function onNpmGone(tell: () => void): void {
  if (process.env['npm_lifecycle_event'] !== 'start') return;
  const npm = process.ppid;
  setInterval(() => {
    if (process.ppid !== npm) tell();
  }, 500).unref();
}
