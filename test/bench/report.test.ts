import { expect, test } from 'vitest';
import { parseOptions } from './options.ts';
import { missingPackages } from './packages.ts';
import { markdownOf, terminalText, verdict } from './report.ts';
import type { Plot, Section } from './section.ts';

const plot: Plot = {
  name: 'pages-by-depth',
  caption: 'A page of 50 by its depth',
  kind: 'line',
  x: { label: 'Records before the page', logarithmic: true },
  y: { label: 'Time (ms)' },
  series: [
    {
      name: 'the ledger',
      points: [
        [1, 4],
        [1_000_000, 4],
      ],
    },
    {
      name: 'another',
      points: [
        [1, 4],
        [1_000_000, 90],
      ],
    },
  ],
};

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
        ['a|b', 1_000_000, 'word '.repeat(30).trim()],
        ['c', 2.5, ''],
      ],
    },
  ],
  plots: [plot],
};

test('a chapter in the terminal: aligned, within 110 columns, budgets judged', () => {
  const lines = terminalText(section).split('\n');
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(110);
  expect(lines).toContain('A page anywhere  10 ms  4 ms      met');
  expect(lines).toContain('The first page   3 ms   4 ms      MISSED');
  expect(lines).toContain(`a|b  1,000,000  ${'word '.repeat(19).trim()}`);
  expect(lines).toContain(`                ${'word '.repeat(11).trim()}`);
  expect(lines).toContain('c          2.5');
});

test('the report as Markdown: where it was made, all budgets, tables and plots', async () => {
  const setting = { date: '2026-11-02', version: '24.0.0', cores: 2, cpu: 'Some CPU', quick: false };
  const report = await markdownOf(setting, [section, { ...section, title: 'More' }]);
  expect(report).toContain('on 2026-11-02 with Node.js 24.0.0 on 2 cores of Some CPU.');
  expect(report.match(/^\| A page anywhere +\| 10 ms +\| 4 ms +\| met +\|$/gm)).toHaveLength(2);
  expect(report.match(/^## .+$/gm)).toEqual(['## Budgets', '## Pages', '## More']);
  expect(report).toMatch(/^\| a\\\|b +\| +1,000,000 \| word/m);
  expect(report).toContain('![A page of 50 by its depth](performance/pages-by-depth.svg)');
});

test('budgets are counted, and those that are missed are named', () => {
  expect(verdict([section, section])).toBe('2 of 4 budgets are met; missed: The first page; The first page.');
  expect(verdict([{ ...section, budgets: section.budgets.slice(0, 1) }])).toBe('1 of 1 budgets are met.');
});

/** Skips tests of plots without the benchmarks' packages, one of which draws them. */
const testPlot = test.skipIf(missingPackages().length > 0);
const svgOf = async (drawn: Plot) => (await import('./plot.ts')).svgOf(drawn);

testPlot('a plot is an SVG with its names and powers of ten, the same every time', async () => {
  const svg = await svgOf(plot);
  expect(svg).toMatch(/^<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
  for (const text of [plot.caption, plot.x.label, plot.y.label, 'the ledger', 'another', '1,000', '1M'])
    expect(svg).toContain(`>${text}</text>`);
  expect(await svgOf(plot)).toBe(svg);
});

testPlot('a logarithmic axis refuses what it has no place for', async () => {
  const series = [{ name: 'the ledger', points: [[0, 4] as [number, number]] }];
  await expect(svgOf({ ...plot, series })).rejects.toThrow('has no place for 0 or less');
});

test('the options, and a sentence for a mistake in them', () => {
  const chapters = ['costs', 'http'];
  expect(parseOptions(['--quick', '--only', 'http, costs'], chapters)).toEqual({
    quick: true,
    only: ['http', 'costs'],
    out: undefined,
    help: false,
  });
  expect(() => parseOptions(['--only', 'http,hot'], chapters)).toThrow(
    'There is no chapter "hot": the chapters are costs, http.',
  );
  expect(() => parseOptions(['--fast'], chapters)).toThrow(
    'Unknown option \'--fast\': "npm run bench -- --help" lists the options.',
  );
});
