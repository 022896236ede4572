import { appendFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { ensureAssembly } from '../../../infra/local/assembly.ts';
import { temporaryFolder } from '../../../infra/local/data-folder.ts';
import { LocalError } from '../../../infra/local/local-error.ts';
import { Machine } from '../../../infra/local/machine.ts';
import type { SmsAtProvider } from '../../../infra/local/messaging/sms-stand-in.ts';
import { stageSettings } from '../../../infra/stack/stages.ts';
import { patience } from '../patience.ts';
import { loggingInto, logSentInto, runLogVariable, runLogIn } from '../machine/run-log.ts';
import { servedApi } from '../machine/served-api.ts';
import { unthrottled } from '../machine/unthrottled.ts';

declare module 'vitest' {
  interface ProvidedContext {
    baseUrl: string;
    engineEndpoint: string;
    /** Endpoint of the stand-in for KMS, and the key of secrets. Undefined for a deployed stack. */
    secrets: { endpoint: string; key: string } | undefined;
    tableName: string;
    /** File with the SMS that were sent. */
    sentSmsFile: string;
    /** Folder of the synthesized template that the machine runs. */
    assembly: string;
    /** Folder of the run's log: see `run-log.ts`. */
    runLog: string;
    /** Test files that are run whole. */
    testFiles: string[];
    /**
     * Settings of a test of a deployed stack (test/deployed). Then only the base URL and the table are given
     * as well.
     */
    deployed?: { organizationName: string; removes: boolean };
  }
}

/**
 * Starts the local machine once, in memory, for all test files. Each file founds its own organizations there.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { state, config } = project.vitest;
  const files = state.getPaths();
  const folder = temporaryFolder();
  // Most programs that tests start load the same packages: only the first one compiles them.
  process.env['NODE_COMPILE_CACHE'] = join(dirname(folder.sentSmsFile), 'compiled');
  const keepSms = (message: SmsAtProvider) => {
    appendFileSync(folder.sentSmsFile, `${JSON.stringify(message)}\n`);
  };
  const exit = (error: unknown) => {
    folder.release();
    if (!(error instanceof LocalError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  };
  const runLogFolder = process.env[runLogVariable] ?? join(dirname(folder.sentSmsFile), 'run-log');
  const runLog = runLogIn(runLogFolder);
  const logSent = logSentInto(runLog);
  const assembly = await ensureAssembly({ settings: unthrottled }).catch(exit);
  const machine = await Machine.start({
    ...folder,
    assembly,
    timeLimit: patience,
    watch: false,
    // Each function runs once for many files, so that starting it again would take most of their time.
    maxIdle: 150,
    // Two show what happens at the same time. Each one more takes half a second to start, so only deep proofs have more.
    maxEach: files.some((file) => file.includes('.full.')) ? 8 : 2,
    keepSms,
    // A report could come while a test still reads the SMS that it sent.
    reportsDelivery: false,
    mayLackLeadingKeys: !stageSettings.dev.requireLeadingKeys,
    ...loggingInto(runLog),
  }).catch(exit);
  const { baseUrl, close } = await servedApi((request) => {
    logSent(request);
    return machine.answer(request);
  });
  project.provide('baseUrl', baseUrl);
  project.provide('engineEndpoint', machine.engine.endpoint);
  project.provide('tableName', machine.tableName);
  project.provide('secrets', machine.secrets);
  project.provide('sentSmsFile', folder.sentSmsFile);
  project.provide('assembly', assembly);
  project.provide('runLog', runLogFolder);
  project.provide('testFiles', config.testNamePattern ? [] : files);
  return async () => {
    await close();
    await machine.close();
    folder.release();
  };
}
