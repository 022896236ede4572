import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { basePlaceholder } from '../../shared/http/site/answer-file.ts';
import { root } from '../root.ts';

/** Files of `docs` that the site serves, in the groups and the order of its sidebar. */
const groups = {
  'Start here': ['guides/first-integration', 'guides/tokens'],
  'Send leads in': ['guides/forms', 'guides/text-messages'],
  'Read the pipeline': ['guides/webhooks', 'guides/keeping-in-step', 'guides/clients'],
  'Answer calls': ['guides/receptionist', 'guides/voice-platforms', 'guides/appointments', 'guides/agents'],
  'How the API behaves': ['guides/errors', 'guides/idempotency', 'guides/pages', 'guides/limits'],
  'Care for data': ['guides/what-can-be-undone', 'guides/erasing'],
  'Reference by subject': [
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
} as const satisfies Record<string, readonly string[]>;

/** Address that stands for the API in `docs`. On the site the address of the API itself is in its place. */
const exampleAddress = 'https://api.example.com';

/** Page of `docs` that the site serves. */
export interface Guide {
  /** Path below `/docs`: `forms` for `docs/guides/forms.md`, `reference/leads` for `docs/reference/leads.md`. */
  path: string;
  title: string;
  /** First sentence. */
  about: string;
  /** Markdown. Its links lead to the Markdown of other pages, below the base URL. */
  markdown: string;
}

/** Reads the pages that the site serves, in their groups. */
export const readGuides = (): [group: string, guides: Guide[]][] =>
  Object.entries(groups).map(([group, files]) => [group, files.map(readGuide)]);

const pathOf = (file: string): string => file.replace(/^guides\//, '');

function readGuide(file: string): Guide {
  const markdown = readFileSync(join(root, `docs/${file}.md`), 'utf8')
    .replaceAll(exampleAddress, basePlaceholder)
    .replaceAll(
      /\]\((?!https?:|#)([^)\s]+)\.md(#[^)\s]*)?\)/g,
      (_, target: string, anchor = '') =>
        `](${basePlaceholder}/docs/${pathOf(posix.join(posix.dirname(file), target))}.md${anchor})`,
    );
  const [heading = '', paragraph = ''] = markdown.split('\n\n');
  return { path: pathOf(file), title: heading.replace(/^# /, ''), about: firstSentence(paragraph), markdown };
}

function firstSentence(paragraph: string): string {
  const plain = paragraph.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1').replaceAll(/\s+/g, ' ');
  return /^.*?[.:](?= |$)/.exec(plain)?.[0].replace(/:$/, '.') ?? plain;
}
