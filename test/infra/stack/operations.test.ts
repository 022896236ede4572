import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../../../infra/root.ts';
import { accessLogFields } from '../../../infra/stack/access-log.ts';
import { settingNames, type StageSettings } from '../../../infra/stack/settings-schema.ts';
import { stageSettings } from '../../../infra/stack/stages.ts';
import { fullLogLine } from '../../support/full-log-line.ts';
import { widgetsIn } from '../../support/metrics/named-metrics.ts';
import { watchedStack } from './watch/watched-stack.ts';

const read = (file: string) => readFileSync(join(root, file), 'utf8');
const operations = read('docs/operations.md');

/** Reads the cells of the first table after a text that occurs once. */
function tableAfter(text: string): string[][] {
  const [, after, ...more] = operations.split(text);
  expect(more, `${text} is there once`).toEqual([]);
  const [table = ''] = /^\|.*\n(?:\|.*\n)*/m.exec(after!) ?? [];
  const lines = table.trimEnd().split('\n').slice(2);
  return lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** Reads the names in the first cells of rows. A cell can have several. */
const namesIn = (rows: string[][]) =>
  rows.flatMap(([first = '']) => [...first.matchAll(/`([^`]+)`/g)].map(([, name]) => name!));

describe('the settings that docs/operations.md has', () => {
  const rows = tableAfter('### Settings\n');

  test('are those that there are', () => {
    expect(namesIn(rows).toSorted()).toEqual(settingNames.toSorted());
  });

  test('have the values that the stages have', () => {
    for (const [first = '', , value = ''] of rows)
      for (const name of namesIn([[first]])) {
        const [dev, prod] = (['dev', 'prod'] as const).map((stage) =>
          wordFor(stageSettings[stage][name as keyof StageSettings]),
        );
        if (dev === undefined && prod === undefined) expect(value, name).toMatch(/^none: /);
        else {
          const values = dev === prod ? dev : `\`dev\` ${dev}, \`prod\` ${prod ?? 'must be given'}`;
          expect(value, name).toBe(values);
        }
      }
  });

  /** Formats a setting as the page does. Undefined if it is not set, or empty. */
  function wordFor(value: StageSettings[keyof StageSettings]): string | undefined {
    if (value === undefined || typeof value === 'number') return value?.toString();
    if (typeof value !== 'object') return `\`${value}\``;
    return Object.keys(value).length === 0 ? undefined : JSON.stringify(value);
  }
});

test('docs/operations.md has the fields of a line of the access log', () => {
  expect(namesIn(tableAfter('**A line of the access log**')).toSorted()).toEqual(
    Object.keys(accessLogFields).toSorted(),
  );
});

test("docs/operations.md has the fields of a function's line", () => {
  expect(namesIn(tableAfter("**A function's line**")).toSorted()).toEqual(
    Object.keys(fullLogLine()).toSorted(),
  );
});

test('docs/operations.md has the widgets of the dashboard in their order, by how their titles begin', () => {
  const titles = widgetsIn(watchedStack()).flatMap(({ properties: { title } }) => title ?? []);
  const documented = tableAfter('### The dashboard\n').flatMap(([first = '']) => first.split('; '));
  expect(documented).toEqual(titles.map((title, at) => title.slice(0, documented[at]?.length)));
});

test('README.md says of a middle customer what docs/cost.md does', () => {
  const dollarsIn = (file: string, pattern: RegExp) =>
    pattern.exec(read(file).replaceAll('\n', ' '))?.groups?.['dollars'];
  expect(dollarsIn('README.md', /A middle-sized customer costs (?<dollars>[\d.]+) dollars a month/)).toBe(
    dollarsIn('docs/cost.md', /(?<dollars>[\d.]+) dollars a month \(middle\)/) ?? 'in docs/cost.md',
  );
});
