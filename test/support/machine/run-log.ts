import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HttpRequest } from '../../../infra/local/gateway/http-message.ts';
import type { OnPermissionCheck } from '../../../infra/local/role.ts';
import { permissionsNeededBy } from '../template/permissions.ts';
import { leavesOf, parsedOr } from '../json-leaves.ts';

/** Environment variable that names the folder of a run's log, if another run is to read them. */
export const runLogVariable = 'RUN_LOG_FOLDER';

/** Files of what the machines of a test run did: one entry a line. Several machines share them. */
export interface RunLog {
  /** Permissions that functions used. */
  asked: string;
  /** Lines of all logs. */
  logged: string;
  /** Texts that clients sent. */
  sent: string;
}

/** Names the files of a run's log in a folder, and makes the folder. */
export function runLogIn(folder: string): RunLog {
  mkdirSync(folder, { recursive: true });
  const file = (name: keyof RunLog) => join(folder, `${name}.jsonl`);
  return { asked: file('asked'), logged: file('logged'), sent: file('sent') };
}

/** Permissions that one request to AWS needed, in the words of `allowedBy`. */
interface PermissionsNeeded {
  functionName: string;
  isAllowed: boolean;
  permissions: string[];
}

/** Makes a function that writes entries into a file, each once. */
function onceInto(file: string): (entry: unknown) => void {
  const logged = new Set<string>();
  return (entry) => {
    const line = `${JSON.stringify(entry)}\n`;
    if (logged.has(line)) return;
    logged.add(line);
    appendFileSync(file, line);
  };
}

const linesOf = (file: string): string[] => readFileSync(file, 'utf8').trimEnd().split('\n');
const entriesIn = <T>(file: string): T[] => linesOf(file).map((line) => JSON.parse(line) as T);

/** Options of a machine that writes into a run's log. */
export function loggingInto({ asked, logged }: RunLog): {
  onPermissionCheck: OnPermissionCheck;
  onLogLine: (group: string, line: string) => void;
} {
  const log = onceInto(asked);
  return {
    onPermissionCheck: ({ functionName, isAllowed, ...check }) => {
      log({ functionName, isAllowed, permissions: permissionsNeededBy(check) } satisfies PermissionsNeeded);
    },
    onLogLine: (_group, line) => {
      appendFileSync(logged, `${line}\n`);
    },
  };
}

/** Writes the texts of each request's body, query and token into a run's log. */
export function logSentInto({ sent }: RunLog): (request: HttpRequest) => void {
  const log = onceInto(sent);
  return ({ headers, target, body }) => {
    const authorizations = headers.filter(([name]) => name.toLowerCase() === 'authorization');
    const [, query = ''] = target.split(/\?(.*)/s);
    const isForm = headers.some(([, value]) => value.startsWith('application/x-www-form-urlencoded'));
    const { names, texts } = leavesOf([
      isForm ? [...new URLSearchParams(body.toString()).values()] : parsedOr(body.toString()),
      authorizations.map(([, value]) => value),
      Object.fromEntries(new URLSearchParams(query)),
    ]);
    for (const text of [...names, ...texts]) log(text);
  };
}

export const readAsked = ({ asked }: RunLog) => entriesIn<PermissionsNeeded>(asked);
export const readSent = ({ sent }: RunLog) => entriesIn<string>(sent);
export const readLogged = ({ logged }: RunLog): string[] => linesOf(logged);

/** Joins the names and values in log lines, each once: a text to search for a value that someone sent. */
export function searchable(lines: readonly string[]): string {
  const { names, texts, others } = leavesOf(lines.map(parsedOr));
  return [...names, ...texts, ...others].filter((text) => !madeHere.test(text)).join('\n');
}

/** Ids of requests, and times: left out of the search, because each line has others. */
const madeHere = /^(?:[\da-f]{8}-[\da-f]{4}-[\da-f-]{22}|\d{4}-\d\d-\d\dT[\d:.]+Z|1[78]\d{11})$/;
