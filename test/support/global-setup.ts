import { appendFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { temporaryFolder } from '../../infra/local/data-folder.ts';
import { LocalError } from '../../infra/local/local-error.ts';
import { Machine } from '../../infra/local/machine.ts';
import type { SentText } from '../../infra/local/sms-stand-in.ts';
import { httpServer, listen } from '../../infra/local/server.ts';
import { askedVariable, noteAskedIn } from './asked.ts';

declare module 'vitest' {
  interface ProvidedContext {
    baseUrl: string;
    engineEndpoint: string;
    tableName: string;
    /** The file of the text messages that were sent. */
    texts: string;
    /** The folder of the synthesized template that the machine runs. */
    assembly: string;
    /** The file of what functions were seen to ask for, on any machine: see `asked.ts`. */
    asked: string;
    /** The test files that are run whole. */
    testFiles: string[];
    /** How a deployed stack is tested (test/deployed), which has the base URL and the table, and no more of these. */
    deployed?: { organizationName: string; removes: boolean };
  }
}

/** Starts the local machine once, in memory, for all test files: each makes organizations of its own there. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = temporaryFolder();
  const keepText = (message: SentText) => {
    appendFileSync(folder.texts, `${JSON.stringify(message)}\n`);
  };
  const asked = process.env[askedVariable] ?? join(dirname(folder.texts), 'asked.jsonl');
  const noteAsked = noteAskedIn(asked);
  const machine = await Machine.start({ ...folder, watch: false, keepText, noteAsked }).catch(
    (error: unknown) => {
      folder.release();
      if (!(error instanceof LocalError)) throw error;
      process.stderr.write(`${error.message}\n`);
      process.exit(1);
    },
  );
  const server = httpServer(
    (request) => machine.answer(request),
    () => undefined,
  );
  const port = await listen(server, 0);
  project.provide('baseUrl', `http://localhost:${port}`);
  project.provide('engineEndpoint', machine.engine.endpoint);
  project.provide('tableName', machine.tableName);
  project.provide('texts', folder.texts);
  project.provide('assembly', folder.assembly);
  project.provide('asked', asked);
  const { state, config } = project.vitest;
  project.provide('testFiles', config.testNamePattern ? [] : state.getPaths());
  return async () => {
    server.close();
    server.closeAllConnections();
    await machine.close();
    folder.release();
  };
}
