import { markdownDocument, markdownTable } from '../support/markdown.ts';
import type { Section } from './section.ts';

/** Machine, date and versions of a run. */
export interface Setting {
  /** Date such as `2026-11-02`. */
  date: string;
  /** Version of Node.js. */
  version: string;
  cores: number;
  cpu: string;
  quick: boolean;
}

/** Formats a chapter for the terminal, with its own budgets. */
export const chapterText = (section: Section): Promise<string> =>
  markdownDocument([...chapterOf(section), ...budgetsOf([section])]);

/** Formats the whole report as Markdown, as this project's files are formatted. */
export function reportText(setting: Setting, sections: readonly Section[]): Promise<string> {
  const { date, version, cores, cpu, quick } = setting;
  const parts = [
    '# Performance',
    `Measured by \`npm run bench\` on ${date} with Node.js ${version} on ${cores} cores of ${cpu}.`,
    ...(quick ? ['This was a quick run, with smaller sizes and fewer repetitions.'] : []),
    '## Budgets',
    verdict(sections),
    ...budgetsOf(sections),
    ...sections.flatMap(chapterOf),
  ];
  return markdownDocument(parts);
}

/** Says in one line how many budgets are met, and which are missed. */
export function verdict(sections: readonly Section[]): string {
  const budgets = sections.flatMap((section) => section.budgets);
  const missed = budgets.filter(({ met }) => !met).map(({ what }) => what);
  const count = `${budgets.length - missed.length} of ${budgets.length} budgets are met`;
  return missed.length === 0 ? `${count}.` : `${count}; missed: ${missed.join('; ')}.`;
}

const chapterOf = ({ title, about, tables }: Section): string[] => [
  `## ${title}`,
  ...about,
  ...tables.flatMap((table) => [`${table.caption}:`, markdownTable(table)]),
];

function budgetsOf(sections: readonly Section[]): string[] {
  const budgets = sections.flatMap((section) => section.budgets);
  if (budgets.length === 0) return [];
  const rows = budgets.map(({ what, limit, measured, met }) => [
    what,
    limit,
    measured,
    met ? 'met' : 'MISSED',
  ]);
  return [markdownTable({ columns: ['Budget', 'Limit', 'Measured', ''], rows })];
}
