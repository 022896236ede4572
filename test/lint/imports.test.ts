import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { lintFiles, type Problem } from './lint-files.ts';

/** Folders of this repository, with hardly a file in each. Each case adds a file. */
const files: Record<string, string> = {
  'shared/core/ids.ts': '',
  'shared/ledger/index.ts': '',
  'shared/ledger/internal/keys.ts': '',
  'shared/contract/leads.ts': '',
  'shared/domain/leads/leads.ts': '',
  'shared/http/serve.ts': '',
  'functions/leads/create-lead.ts': '',
  'infra/app.ts': '',
  'infra/functions.ts': '',
  'infra/stack/stage.ts': '',
  'infra/local/machine.ts': '',
  'infra/admin/admin.ts': '',
  'test/support/admin.ts': '',
};
/** Files that import each other. The circles are looked for among copies of them, a folder for each case. */
const chain = {
  'leads/leads.ts': "import '../inquiries/inquiries.ts';",
  'inquiries/inquiries.ts': "export type { Text } from '../threads/texts/text.ts';",
  'threads/texts/text.ts': '',
  'machine.ts': "import './server.ts';",
  'server.ts': '',
  'watch/watch.ts': "import type { Machine } from '../machine.ts';",
  'messaging/queues.ts': "export type Watch = import('../watch/watch.ts').Watch;",
};

let problems: Problem[];
beforeAll(async () => {
  problems = await lintFiles(files);
});
const found = (plugin: string, path: string) =>
  problems.filter(({ file, rule }) => file === path && rule.startsWith(plugin)).map(({ rule }) => rule);

/** Adds the file of a case. Returns its path. */
function add(file: string, source: string): string {
  const path = file.replace('new.ts', `new-${Object.keys(files).length}.ts`);
  files[path] = source;
  return path;
}

function adding(file: string, specifier: string) {
  // A missing file is refused too, which would prove nothing.
  if (specifier.startsWith('.')) expect(Object.keys(files)).toContain(join(dirname(file), specifier));
  return { file: add(file, `import '${specifier}';`), specifier };
}

const refused = '$file does not import $specifier';
const refusal = ({ file }: { file: string }) => {
  expect(found('boundaries', file)).toEqual(['boundaries(dependencies)']);
};

describe('A lower floor', () => {
  test.each([
    adding('shared/core/new.ts', '../ledger/index.ts'),
    adding('shared/core/new.ts', '../contract/leads.ts'),
    adding('shared/ledger/internal/new.ts', '../../contract/leads.ts'),
    adding('shared/ledger/internal/new.ts', '../../domain/leads/leads.ts'),
    adding('shared/contract/new.ts', '../domain/leads/leads.ts'),
    adding('shared/domain/new/new.ts', '../../http/serve.ts'),
    adding('shared/http/new.ts', '../../functions/leads/create-lead.ts'),
    adding('shared/http/new.ts', '../../infra/functions.ts'),
    adding('shared/http/new.ts', '../../test/support/admin.ts'),
    adding('functions/leads/new.ts', './create-lead.ts'),
    adding('functions/leads/new.ts', '../../infra/functions.ts'),
    adding('functions/leads/new.ts', '../../test/support/admin.ts'),
    adding('infra/new.ts', './stack/stage.ts'),
    adding('infra/new.ts', './app.ts'),
    adding('infra/new.ts', '../functions/leads/create-lead.ts'),
    adding('infra/bundle/new.ts', '../stack/stage.ts'),
    adding('infra/open-api/new.ts', '../stack/stage.ts'),
    adding('infra/stack/new.ts', '../local/machine.ts'),
    adding('infra/stack/new.ts', '../admin/admin.ts'),
    adding('infra/local/new.ts', '../admin/admin.ts'),
    adding('infra/admin/new.ts', '../../functions/leads/create-lead.ts'),
    adding('infra/admin/new.ts', '../../test/support/admin.ts'),
  ])(refused, refusal);

  test.each(
    [
      "import type { Lead } from '../contract/leads.ts';",
      "export type { Lead } from '../contract/leads.ts';",
      "export * from '../contract/leads.ts';",
      "export type Lead = import('../contract/leads.ts').Lead;",
      "export const leads = () => import('../contract/leads.ts');",
    ].map((source) => ({ file: add('shared/core/new.ts', source), source })),
  )('does not import a higher one by $source', refusal);
});

describe('Other folders import only the index of the ledger', () => {
  test.each([
    adding('shared/contract/new.ts', '../ledger/internal/keys.ts'),
    adding('shared/domain/new/new.ts', '../../ledger/internal/keys.ts'),
    adding('shared/http/new.ts', '../ledger/internal/keys.ts'),
    adding('functions/leads/new.ts', '../../shared/ledger/internal/keys.ts'),
    adding('infra/new.ts', '../shared/ledger/internal/keys.ts'),
    adding('infra/stack/new.ts', '../../shared/ledger/internal/keys.ts'),
    adding('infra/admin/new.ts', '../../shared/ledger/internal/keys.ts'),
  ])(refused, refusal);
});

describe('Packages and modules of Node.js', () => {
  test.each([
    adding('shared/core/new.ts', '@aws-sdk/client-dynamodb'),
    adding('shared/core/new.ts', '@middy/core'),
    adding('shared/contract/new.ts', '@aws-sdk/client-dynamodb'),
    adding('shared/contract/new.ts', '@middy/core'),
    adding('shared/contract/new.ts', 'node:crypto'),
    adding('shared/contract/new.ts', 'node:sqlite'),
    adding('shared/domain/new/new.ts', '@aws-sdk/client-dynamodb'),
    adding('shared/domain/new/new.ts', '@aws-sdk/client-sesv2'),
    adding('shared/domain/new/new.ts', '@middy/core'),
    adding('shared/http/new.ts', '@aws-sdk/client-dynamodb'),
    adding('functions/leads/new.ts', '@aws-sdk/lib-dynamodb'),
  ])(refused, refusal);
});

describe('Files and folders do not import each other in a circle', () => {
  test.each(
    [
      ['shared/domain/', 'inquiries/new.ts', "import '../leads/leads.ts';"],
      ['shared/domain/', 'inquiries/new.ts', "import type { Lead } from '../leads/leads.ts';"],
      ['shared/domain/', 'inquiries/new.ts', "export type Lead = import('../leads/leads.ts').Lead;"],
      ['shared/domain/', 'threads/new.ts', "export * from '../leads/leads.ts';"],
      ['shared/domain/', 'threads/texts/new.ts', "import '../../leads/leads.ts';"],
      ['infra/local/', 'server.ts', "import './machine.ts';"],
      ['infra/local/', 'server.ts', "import type { Machine } from './machine.ts';"],
      ['infra/local/', 'machine.ts', "import './watch/watch.ts';"],
      ['infra/local/', 'machine.ts', "import './messaging/queues.ts';"],
      ['infra/local/', 'watch/new.ts', "import '../messaging/queues.ts';"],
    ].map(([folder, name, source], at) => {
      const within = `${folder}circle-${at}/`;
      for (const [path, text] of Object.entries(chain)) files[within + path] = text;
      return { file: add(`${within}${name}`, source!), source };
    }),
  )('$file is refused: $source', ({ file }) => {
    expect(found('house', file)).toEqual(['house(no-import-circle)']);
  });
});

test.each(['shared/other/new.ts', 'shared/domain/new.ts', 'infra/other/new.ts'].map((file) => add(file, '')))(
  '%s is in no known folder',
  (file) => {
    expect(found('boundaries', file)).toEqual(['boundaries(no-unknown-files)']);
  },
);
