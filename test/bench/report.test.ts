import { expect, test } from 'vitest';
import { parseOptions } from './options.ts';
import { chapterText, reportText, verdict } from './report.ts';
import type { Section } from './section.ts';

const section: Section = {
  title: 'Pages',
  about: ['How long a page takes.'],
  budgets: [
    { what: 'A page anywhere', limit: '10 ms', measured: '4 ms', met: true },
    { what: 'The first page', limit: '3 ms', measured: '4 ms', met: false },
  ],
  tables: [
    {
      caption: 'Time by depth',
      columns: ['Way', 'Records', 'Note'],
      rows: [
        ['a|b', 1_000_000, 'word'],
        ['c', 2.5, ''],
      ],
    },
  ],
};

test('a chapter in the terminal: its tables and its budgets, judged', async () => {
  const lines = (await chapterText(section)).split('\n');
  expect(lines).toContain('## Pages');
  expect(lines).toContain('| A page anywhere | 10 ms | 4 ms     | met    |');
  expect(lines).toContain('| The first page  | 3 ms  | 4 ms     | MISSED |');
  expect(lines).toContain('| c    |       2.5 |      |');
});

test('the report as Markdown: where it was made, all budgets and tables', async () => {
  const setting = { date: '2026-11-02', version: '24.0.0', cores: 2, cpu: 'Some CPU', quick: false };
  const report = await reportText(setting, [section, { ...section, title: 'More' }]);
  expect(report).toContain('on 2026-11-02 with Node.js 24.0.0 on 2 cores of Some CPU.');
  expect(report.match(/^\| A page anywhere +\| 10 ms +\| 4 ms +\| met +\|$/gm)).toHaveLength(2);
  expect(report.match(/^## .+$/gm)).toEqual(['## Budgets', '## Pages', '## More']);
  expect(report).toMatch(/^\| a\\\|b +\| +1,000,000 \| word/m);
});

test('budgets are counted, and those that are missed are named', () => {
  expect(verdict([section, section])).toBe('2 of 4 budgets are met; missed: The first page; The first page.');
  expect(verdict([{ ...section, budgets: section.budgets.slice(0, 1) }])).toBe('1 of 1 budgets are met.');
});

test('the options, and a sentence for a mistake in them', () => {
  const chapters = ['costs', 'cold'];
  expect(parseOptions(['--quick', '--only', 'cold, costs'], chapters)).toEqual({
    quick: true,
    only: ['cold', 'costs'],
    out: undefined,
    help: false,
  });
  expect(() => parseOptions(['--only', 'cold,hot'], chapters)).toThrow(
    'There is no chapter "hot": the chapters are costs, cold.',
  );
  expect(() => parseOptions(['--fast'], chapters)).toThrow(
    'Unknown option \'--fast\': "npm run bench -- --help" lists the options.',
  );
});
