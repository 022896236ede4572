import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../root.ts';

/** Guides of the site in the order of need, and the reference: names of files in `docs`. */
const names = [
  'first-integration',
  'tokens',
  'forms',
  'text-messages',
  'appointments',
  'receptionist',
  'voice-platforms',
  'agents',
  'webhooks',
  'keeping-in-step',
  'errors-and-retries',
  'what-can-be-undone',
  'erasing',
  'clients',
  'reference',
];

/** Page of `docs` that the site serves. */
export interface Guide {
  name: string;
  title: string;
  /** First sentence. */
  about: string;
  /** Markdown without links to files that the site does not have. */
  markdown: string;
}

/** Reads the guides of the site. */
export const readGuides = (): Guide[] =>
  names.map((name) => {
    const markdown = withoutDeadLinks(readFileSync(join(root, `docs/${name}.md`), 'utf8'));
    const [heading = '', paragraph = ''] = markdown.split('\n\n');
    return { name, title: heading.replace(/^# /, ''), about: firstSentence(paragraph), markdown };
  });

/** Replaces links to files that the site does not have, such as the pages for operators, by their texts. */
const withoutDeadLinks = (markdown: string): string =>
  markdown.replaceAll(/\[([^\]]+)\]\(([^)\s]+)\)/g, (link: string, text: string, target: string) => {
    const [, name] = /^([\w-]+)\.md(?:#.*)?$/.exec(target) ?? [];
    return /^(?:https?:|#)/.test(target) || (name !== undefined && names.includes(name)) ? link : text;
  });

function firstSentence(paragraph: string): string {
  const plain = paragraph.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1').replaceAll(/\s+/g, ' ');
  return /^.*?[.:](?= |$)/.exec(plain)?.[0].replace(/:$/, '.') ?? plain;
}
