import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { basePlaceholder } from '../../shared/http/site/answer-file.ts';
import type { Contracts } from '../functions.ts';
import { root } from '../root.ts';
import { madePartsOf, withMadeParts } from './made-parts.ts';
import { render, type Rendered } from './markdown.ts';

/** Files of `docs` that the site serves, in the groups and the order of its sidebar. */
const groups = [
  {
    title: 'Start here',
    about: 'From a token to a program that runs in production.',
    files: ['guides/first-integration', 'guides/tokens'],
  },
  {
    title: 'Send leads in',
    about: 'A form, a text message or your own program makes a lead. Each lead is stored once.',
    files: ['guides/forms', 'guides/text-messages'],
    isWayIn: true,
  },
  {
    title: 'Read the pipeline',
    about: 'Every change reaches your program: as a signed delivery, or whenever your program asks.',
    files: ['guides/webhooks', 'guides/keeping-in-step', 'guides/clients'],
    isWayIn: true,
  },
  {
    title: 'Answer calls',
    about: 'A voice agent knows the business, books appointments, and puts callers through.',
    files: ['guides/receptionist', 'guides/voice-platforms', 'guides/appointments', 'guides/agents'],
    isWayIn: true,
  },
  {
    title: 'How the API behaves',
    about: 'The same rules for every operation.',
    files: ['guides/errors', 'guides/idempotency', 'guides/pages', 'guides/limits'],
  },
  {
    title: 'Care for data',
    about: 'Before you delete something, and when a person asks you to.',
    files: ['guides/what-can-be-undone', 'guides/erasing'],
  },
  {
    title: 'Reference by subject',
    about: 'Every field, with its rules.',
    files: [
      'reference/conventions',
      'reference/operations',
      'reference/enumerations',
      'reference/errors',
      'reference/leads',
      'reference/inquiries',
      'reference/forms',
      'reference/sms',
      'reference/companies',
      'reference/appointments',
      'reference/calls',
      'reference/catalog',
      'reference/knowledge',
      'reference/organization',
      'reference/tokens',
      'reference/events',
      'reference/webhooks',
    ],
  },
];

/** Address that stands for the API in `docs`. On the site the address of the API itself is in its place. */
const exampleAddress = 'https://api.example.com';

/** Page of `docs` that the site serves. */
export interface Guide extends Rendered {
  /** Path below `docs`, without its ending. */
  file: string;
  /** Path below `/docs`: `forms` for `docs/guides/forms.md`, `reference/leads` for `docs/reference/leads.md`. */
  path: string;
  title: string;
  /** First paragraph: a sentence that says what the reader gets. */
  about: string;
  /** Markdown. Its links lead to the Markdown of other pages, below the base URL. */
  markdown: string;
}

/** Guides with one purpose. */
export interface GuideGroup {
  title: string;
  /** Sentence that says what the reader gets. */
  about: string;
  guides: Guide[];
  /** True for a way to use the API, which the front page shows first. */
  isWayIn: boolean;
}

/** Reads the pages that the site serves, in their groups. @throws SynthesisError as `withMadeParts` does */
export function readGuides(contracts: Contracts): GuideGroup[] {
  const parts = madePartsOf(contracts);
  return groups.map(({ files, isWayIn = false, ...group }) => ({
    ...group,
    isWayIn,
    guides: files.map((file) => readGuide(file, parts)),
  }));
}

const pathOf = (file: string): string => file.replace(/^guides\//, '');

function readGuide(file: string, parts: Readonly<Record<string, string>>): Guide {
  const page = `docs/${file}.md`;
  const markdown = withMadeParts(page, readFileSync(join(root, page), 'utf8'), parts)
    .replaceAll(exampleAddress, basePlaceholder)
    .replaceAll(
      /\]\((?!https?:|#)([^)\s]+)\.md(#[^)\s]*)?\)/g,
      (_, target: string, anchor = '') =>
        `](${basePlaceholder}/docs/${pathOf(posix.join(posix.dirname(file), target))}.md${anchor})`,
    );
  const [heading = '', paragraph = ''] = markdown.split('\n\n');
  return {
    file,
    path: pathOf(file),
    title: heading.replace(/^# /, ''),
    about: paragraph.replaceAll('\n', ' '),
    markdown,
    ...render(markdown),
  };
}
