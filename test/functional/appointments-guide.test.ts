import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { root } from '../../infra/functions.ts';
import { createService } from '../../shared/domain/services/services.ts';
import { setup } from '../support/world.ts';

/** Words of a command of a shell, with its variables. */
const wordsOf = (command: string, variables: Record<string, string>): string[] =>
  [...command.replaceAll('\\\n', ' ').matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, one, two, three]) =>
      two ?? (one ?? three ?? '').replaceAll(/\$(\w+)/g, (_, name: string) => variables[name] ?? ''),
  );

/** Sends what a curl command sends. */
async function curl(command: string, variables: Record<string, string>) {
  const [program, ...words] = wordsOf(command, variables);
  expect(program).toBe('curl');
  const after = (option: string) => words.flatMap((word, at) => (words[at - 1] === option ? [word] : []));
  const [url] = words.filter((word) => word.startsWith(variables['API'] ?? ''));
  const [body] = after('-d');
  const [method = body === undefined ? 'GET' : 'POST'] = after('-X');
  const headers = after('-H').map((header) => header.split(': ') as [string, string]);
  const response = await fetch(url ?? '', { method, headers, ...(body !== undefined && { body }) });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** True if a value has the fields of another at any depth, whatever their values. A list has members of one kind. */
function isAs(value: unknown, shown: unknown): boolean {
  if (Array.isArray(value) && Array.isArray(shown))
    return value.every((one) => shown.length > 0 && isAs(one, shown[0]));
  if (typeof value !== 'object' || typeof shown !== 'object' || value === null || shown === null)
    return typeof value === typeof shown;
  const names = Object.keys(value).sort();
  const fieldOf = (of: object, name: string): unknown => Reflect.get(of, name);
  return (
    names.join() === Object.keys(shown).sort().join() &&
    names.every((name) => isAs(fieldOf(value, name), fieldOf(shown, name)))
  );
}

test('each command of the guide succeeds, and answers as the guide shows', async () => {
  const { ours } = await setup();
  await createService(ours.openLedger().ledger, { name: 'Blocked drain', tradeCategoryId: 1 });
  const guide = readFileSync(join(root, 'docs/appointments.md'), 'utf8').replaceAll('6H8EV880', ours.code);
  const [, ...blocks] = [...guide.matchAll(/^```(sh|json)\n([\s\S]*?)^```$/gm)];
  const variables: Record<string, string> = { API: inject('baseUrl'), TOKEN: ours.token };
  const statuses: number[] = [];
  let last: unknown;
  for (const [, language, text = ''] of blocks) {
    if (language === 'json') {
      const shown: unknown = JSON.parse(text);
      expect(isAs(last, shown), `${JSON.stringify(last)} is not as ${text}`).toBe(true);
      continue;
    }
    const { status, body } = await curl(text.trim(), variables);
    statuses.push(status);
    last = body;
    if (status === 201) variables['APPOINTMENT'] = (body['appointment'] as { id: string }).id;
  }
  // The schedule, the free times, the same to be read out, the booking, the one that is refused, the move, the end, the calendar.
  expect(statuses).toEqual([200, 200, 200, 201, 409, 200, 200, 200]);
  expect(last).toMatchObject({ appointments: [{ isRescheduled: true, status: 'CANCELLED' }] });
});
