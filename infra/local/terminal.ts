import type { DemoAccess } from './demo/demo.ts';
import type { SentText } from './sms-stand-in.ts';
import type { Served } from './server.ts';

interface Welcome {
  baseUrl: string;
  demo: DemoAccess[];
  /** Where the data is: such as `in .data`. */
  place: string;
  watch: boolean;
}

/** What a start prints once it answers requests. */
export function welcome({ baseUrl, demo, place, watch }: Welcome): string {
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
          `  (A start was interrupted while it filled ${name}; this is another one, so its ids differ from the README's.)`,
      ),
    '',
    'Try:',
    '',
    `  curl -s '${baseUrl}/v1/leads?limit=1' -H 'Authorization: Bearer ${demo[0]?.token ?? ''}'`,
    '',
    `Data ${place}${watch ? '; changed sources take effect on the next request' : ''}. Ctrl-C ends it.`,
    '',
    '',
  ].join('\n');
}

/**
 * One line per request: method, path, status, milliseconds, and what it asked of DynamoDB. What the authorizer asked
 * stands apart, since it happens once per token and minute.
 */
export function requestLine({ method, path, status, milliseconds, cost, troubles }: Served): string {
  const { calls, readUnits, writeUnits } = cost.endpoint;
  const { authorizer } = cost;
  const columns = [
    method.padEnd(6),
    printable(path).padEnd(40),
    String(status),
    `${milliseconds.toFixed(0)} ms`.padStart(8),
    `${calls} calls`.padStart(9),
    `${readUnits} read`.padStart(9),
    `${writeUnits} write`.padStart(9),
    ...(authorizer.calls > 0
      ? [`  + authorizer: ${authorizer.calls} calls, ${authorizer.readUnits} read`]
      : []),
  ];
  const lines = [
    columns.join(' '),
    ...troubles.flatMap((text) => text.split('\n').map((line) => `       ${printable(line)}`)),
  ];
  return `${lines.join('\n')}\n`;
}

/** A text message that would have been sent. */
export const textLine = ({ to, text }: SentText) => `SMS    ${to}  ${printable(text)}\n`;

/** Text from outside, without what would steer the terminal. */
const printable = (text: string) => text.replaceAll(/\p{Cc}/gu, '?');
