import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { root } from '../../../infra/root.ts';
import { createAppointmentEndpoint } from '../../../shared/contract/appointments.ts';
import { listEventsEndpoint } from '../../../shared/contract/event-feed.ts';
import { blocksOf } from '../../support/docs/guide.ts';

/** Schema of the answer that each page of docs/reference has as an example. */
const answers = {
  'calls.md': createAppointmentEndpoint.said.schema,
  'events.md': listEventsEndpoint.responses[200],
};

test('each example of the reference is an answer of its operation', () => {
  const pages = globSync('*.md', { cwd: join(root, 'docs/reference') });
  const examples = pages.flatMap((page) =>
    blocksOf(readFileSync(join(root, 'docs/reference', page), 'utf8')).map(
      ({ text }) => [page, text] as const,
    ),
  );
  expect(examples.map(([page]) => page).sort()).toEqual(Object.keys(answers));
  const textOf: Record<string, string> = Object.fromEntries(examples);
  for (const [page, schema] of Object.entries(answers))
    expect(v.safeParse(schema, JSON.parse(textOf[page] ?? '')).issues, page).toBeUndefined();
});
