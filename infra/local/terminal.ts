import type { ConsumedCapacity } from '../../shared/ledger/index.ts';
import type { DemoAccess } from './demo/demo.ts';
import { createFormSubmissionEndpoint } from '../../shared/contract/forms.ts';
import { demoSites } from './demo/channels.ts';
import { printable } from '../printable.ts';
import { smsPath } from './messaging/local-requests.ts';
import { cutText } from '../../shared/core/cut-text.ts';
import type { Received } from './demo/receiver.ts';
import type { WorkerRun } from './workers/worker-run.ts';
import type { SmsAtProvider } from './messaging/sms-stand-in.ts';
import type { ServedRequest } from './server.ts';

interface Welcome {
  baseUrl: string;
  demo: DemoAccess[];
  workers: { description: string; every: string }[];
  /** Location of the data, such as `in .data`. */
  location: string;
  watch: boolean;
  /** Sentence about the access of containers to the database. */
  containers: string;
  /** Sentence about the receiver of a webhook, if there is one. */
  receiver?: string | undefined;
}

/** Text that `npm start` prints once it answers requests. */
export function welcome(shown: Welcome): string {
  const { baseUrl, demo, workers, location, watch, containers, receiver } = shown;
  const width = Math.max(...demo.map(({ name }) => name.length));
  return [
    '',
    `Sales Pipeline Service is at ${baseUrl}`,
    '',
    ...demo.map(
      ({ name, token, state }) =>
        `  ${name.padEnd(width)}  ${token}${state === 'active' ? '' : ` (${state})`}`,
    ),
    ...demo
      .filter(({ isSecondTry }) => isSecondTry)
      .map(
        ({ name }) =>
          `  (A start was interrupted while it filled ${name}; so this is another, with other ids.)`,
      ),
    '',
    `Try it in a browser, with one of these tokens: ${baseUrl}/docs`,
    'Or:',
    '',
    ...command(`curl -s '${baseUrl}/v1/leads?limit=1'`, `-H 'Authorization: Bearer ${demo[0]?.token ?? ''}'`),
    '',
    ...(demo.length > 0 ? channels(baseUrl, demo) : []),
    'Paths, compression and unknown routes are as API Gateway has them: docs/local-machine.md.',
    '',
    ...workers.flatMap(({ description, every }) => folded(`Every ${every}, ${printable(description)}`)),
    ...(workers.length > 0 ? [''] : []),
    ...(receiver === undefined ? [] : [receiver, '']),
    ...folded(containers),
    `Data ${location}${watch ? '; changed sources take effect on the next request' : ''}. Ctrl-C ends it.`,
    '',
    '',
  ].join('\n');
}

const { path: formsPath } = createFormSubmissionEndpoint;

/**
 * Lists the phone numbers and form keys, with a command that sends an SMS and a command that sends a form.
 */
function channels(baseUrl: string, demo: readonly DemoAccess[]): string[] {
  const width = Math.max(...demo.map(({ name }) => name.length));
  const rows = demo.map(({ name, channels: { number = 'no number', key, keyState } }) => {
    const state = keyState === 'active' ? '' : ` (${keyState})`;
    return `  ${name.padEnd(width)}  ${number.padEnd('+61491570737'.length)}  key=${key}${state}`;
  });
  const number = demo.find(({ channels }) => channels.number !== undefined)?.channels.number;
  const key = demo.find(({ channels }) => channels.keyState === 'active')?.channels.key;
  const text = command(
    `curl -s ${baseUrl}${smsPath}`,
    `-d from=+61491570156 -d to=${number ?? ''} -d text=Hello`,
  );
  const form = command('curl -s -d name=Zoe -d message=Hello', `'${baseUrl}${formsPath}?key=${key ?? ''}'`);
  return [
    `Texts and forms that come in (forms of ${demoSites.join(' and ')}, any port):`,
    '',
    ...rows,
    '',
    ...(number === undefined ? [] : text),
    ...(key === undefined ? [] : form),
    '',
  ];
}

/** Columns that every screen has. */
const columns = 100;

/** Splits a command into two lines. */
const command = (begin: string, rest: string) => [`  ${begin} \\`, `    ${rest}`];

/** Folds a text into lines of at most `columns`. */
function folded(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const longer = lines.length === 0 ? word : `${lines.at(-1) ?? ''} ${word}`;
    if (lines.length > 0 && longer.length <= columns) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/**
 * One line per request: method, path, status, milliseconds, and DynamoDB capacity. The authorizer's capacity
 * is separate, because it is consumed once per token and minute.
 */
export function requestLine({ method, path, status, milliseconds, cost, troubles }: ServedRequest): string {
  const { endpoint: consumed, authorizer } = cost;
  const more =
    authorizer.calls > 0 ? `  + authorizer: ${authorizer.calls} calls, ${authorizer.readUnits} read` : '';
  return line([method, path, String(status)], { milliseconds, consumed }, more, troubles);
}

/** One line per run of a worker, like a request's, with the number of things that it has processed. */
export function runLine(run: WorkerRun): string {
  const { name, done, attempts, failed, milliseconds, consumed, troubles } = run;
  const result = failed === undefined ? 'ok' : 'err';
  const end = failed === undefined ? [] : [`The event ${failed}.`];
  const more = done === undefined ? '' : `  ${done} done`;
  const own = line(['WORKER', name, result], { milliseconds, consumed }, more, [...troubles, ...end]);
  return [...attempts.map(attemptLine), own].join('');
}

/** One line per attempt to send an event to the receiver of a webhook. */
const attemptLine = ({
  webhook,
  event,
  type,
  status,
  failure = '',
  milliseconds,
}: WorkerRun['attempts'][number]) =>
  `${[
    `HOOK   ${printable(`${webhook}: ${event} ${type}`)}`.padEnd(47),
    String(status ?? 'err'),
    `${milliseconds} ms`.padStart(8),
    ...(failure === '' ? [] : [` ${failure}`]),
  ].join(' ')}\n`;

/** Line of a delivery to the receiver of `--receive`. */
export const receivedLine = ({ isVerified, body }: Received) =>
  `GOT    ${isVerified ? 'verified' : 'NOT VERIFIED'} ${printable(cutText(body, 1000))}\n`;

/**
 * Formats a line: kind, name, result; time and capacity; further facts. The troubles follow on lines of their
 * own.
 */
function line(
  [what, which, how]: [string, string, string],
  { milliseconds, consumed }: { milliseconds: number; consumed: ConsumedCapacity },
  more: string,
  troubles: readonly string[],
): string {
  const { calls, readUnits, writeUnits } = consumed;
  const columns = [
    // The two are padded together, because OPTIONS is longer than the other methods.
    `${what.padEnd(6)} ${printable(which)}`.padEnd(47),
    how.padEnd(3),
    `${milliseconds.toFixed(0)} ms`.padStart(8),
    `${calls} calls`.padStart(9),
    `${readUnits} read`.padStart(9),
    `${writeUnits} write`.padStart(9),
    ...(more === '' ? [] : [more]),
  ];
  const lines = [
    columns.join(' '),
    ...troubles.flatMap((text) => text.split('\n').map((part) => `       ${printable(part)}`)),
  ];
  return `${lines.join('\n')}\n`;
}

/** Last line of the machine, with the number of unanswered requests. */
export const endLine = (unanswered: number) =>
  unanswered === 0 ? 'Ended.\n' : `Ended; ${unanswered} that took longer than a second got no answer.\n`;

/** Line of an SMS that AWS would have sent. */
export const smsLine = ({ to, text }: SmsAtProvider) => `SMS    ${printable(`${to}  ${text}`)}\n`;
