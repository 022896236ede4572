import { ESLint } from 'eslint';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { newFolder } from '../support/new-folder.ts';

/**
 * Folders of this repository, with hardly a file in each. Among the subjects, leads imports inquiries, and
 * inquiries imports threads.
 */
const house = {
  'shared/core/ids.ts': '',
  'shared/ledger/index.ts': '',
  'shared/ledger/internal/keys.ts': '',
  'shared/contract/leads.ts': '',
  'shared/domain/leads/leads.ts': "import '../inquiries/inquiries.ts';",
  'shared/domain/inquiries/inquiries.ts': "export type { Text } from '../threads/texts/text.ts';",
  'shared/domain/threads/texts/text.ts': '',
  'shared/http/serve.ts': '',
  'functions/leads/create-lead.ts': '',
  'infra/app.ts': '',
  'infra/functions.ts': '',
  'infra/stack/stage.ts': '',
  'infra/local/machine.ts': "import './server.ts';",
  'infra/local/server.ts': '',
  'infra/local/watch/watch.ts': "import type { Machine } from '../machine.ts';",
  'infra/local/messaging/queues.ts': "export type Watch = import('../watch/watch.ts').Watch;",
  'infra/admin/admin.ts': '',
  'test/support/admin.ts': '',
};
const root = newFolder();
// Other rules would need a TypeScript project.
const eslint = new ESLint({
  cwd: root,
  overrideConfigFile: join(import.meta.dirname, '../../eslint.config.js'),
  overrideConfig: {
    languageOptions: { parserOptions: { projectService: false } },
    settings: { 'boundaries/root-path': root },
  },
  ruleFilter: ({ ruleId }) => /^(boundaries|house)\//.test(ruleId),
});

async function problems(file: string, source: string): Promise<string[]> {
  const [result] = await eslint.lintText(source, { filePath: join(root, file) });
  return result!.messages.map(({ ruleId, message }) => ruleId ?? message);
}

async function importing(file: string, specifier: string): Promise<string[]> {
  // A missing file is refused too, which would prove nothing.
  if (specifier.startsWith('.')) expect(existsSync(join(root, dirname(file), specifier))).toBe(true);
  return problems(file, `import '${specifier}';`);
}

beforeAll(() => {
  for (const [path, source] of Object.entries(house)) {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, source);
  }
});

describe('A lower floor', () => {
  test.each([
    ['shared/core/new.ts', '../ledger/index.ts'],
    ['shared/core/new.ts', '../contract/leads.ts'],
    ['shared/ledger/internal/new.ts', '../../contract/leads.ts'],
    ['shared/ledger/internal/new.ts', '../../domain/leads/leads.ts'],
    ['shared/contract/new.ts', '../domain/leads/leads.ts'],
    ['shared/domain/new/new.ts', '../../http/serve.ts'],
    ['shared/http/new.ts', '../../functions/leads/create-lead.ts'],
    ['shared/http/new.ts', '../../infra/functions.ts'],
    ['shared/http/new.ts', '../../test/support/admin.ts'],
    ['functions/leads/new.ts', './create-lead.ts'],
    ['functions/leads/new.ts', '../../infra/functions.ts'],
    ['functions/leads/new.ts', '../../test/support/admin.ts'],
    ['infra/functions.ts', './stack/stage.ts'],
    ['infra/functions.ts', './app.ts'],
    ['infra/functions.ts', '../functions/leads/create-lead.ts'],
    ['infra/bundle/new.ts', '../stack/stage.ts'],
    ['infra/open-api/new.ts', '../stack/stage.ts'],
    ['infra/stack/new.ts', '../local/machine.ts'],
    ['infra/stack/new.ts', '../admin/admin.ts'],
    ['infra/local/new.ts', '../admin/admin.ts'],
    ['infra/admin/new.ts', '../../functions/leads/create-lead.ts'],
    ['infra/admin/new.ts', '../../test/support/admin.ts'],
  ])('%s does not import %s', async (file, specifier) => {
    expect(await importing(file, specifier)).toEqual(['boundaries/dependencies']);
  });

  test.each([
    "import type { Lead } from '../contract/leads.ts';",
    "export type { Lead } from '../contract/leads.ts';",
    "export * from '../contract/leads.ts';",
    "export type Lead = import('../contract/leads.ts').Lead;",
    "export const leads = () => import('../contract/leads.ts');",
  ])('does not import a higher one by %s', async (source) => {
    expect(await problems('shared/core/new.ts', source)).toEqual(['boundaries/dependencies']);
  });
});

describe('Other folders import only the index of the ledger', () => {
  test.each([
    ['shared/contract/new.ts', '../ledger/internal/keys.ts'],
    ['shared/domain/new/new.ts', '../../ledger/internal/keys.ts'],
    ['shared/http/new.ts', '../ledger/internal/keys.ts'],
    ['functions/leads/new.ts', '../../shared/ledger/internal/keys.ts'],
    ['infra/functions.ts', '../shared/ledger/internal/keys.ts'],
    ['infra/stack/new.ts', '../../shared/ledger/internal/keys.ts'],
    ['infra/admin/new.ts', '../../shared/ledger/internal/keys.ts'],
  ])('%s does not import %s', async (file, specifier) => {
    expect(await importing(file, specifier)).toEqual(['boundaries/dependencies']);
  });
});

describe('Packages and modules of Node.js', () => {
  test.each([
    ['shared/core/new.ts', '@aws-sdk/client-dynamodb'],
    ['shared/core/new.ts', '@middy/core'],
    ['shared/contract/new.ts', '@aws-sdk/client-dynamodb'],
    ['shared/contract/new.ts', '@middy/core'],
    ['shared/contract/new.ts', 'node:crypto'],
    ['shared/contract/new.ts', 'node:sqlite'],
    ['shared/domain/new/new.ts', '@aws-sdk/client-dynamodb'],
    ['shared/domain/new/new.ts', '@aws-sdk/client-sesv2'],
    ['shared/domain/new/new.ts', '@middy/core'],
    ['shared/http/new.ts', '@aws-sdk/client-dynamodb'],
    ['functions/leads/new.ts', '@aws-sdk/lib-dynamodb'],
  ])('%s does not import %s', async (file, specifier) => {
    expect(await importing(file, specifier)).toEqual(['boundaries/dependencies']);
  });
});

describe('Files and folders do not import each other in a circle', () => {
  test.each([
    ['shared/domain/inquiries/new.ts', "import '../leads/leads.ts';"],
    ['shared/domain/inquiries/new.ts', "import type { Lead } from '../leads/leads.ts';"],
    ['shared/domain/inquiries/new.ts', "export type Lead = import('../leads/leads.ts').Lead;"],
    ['shared/domain/threads/new.ts', "export * from '../leads/leads.ts';"],
    ['shared/domain/threads/texts/new.ts', "import '../../leads/leads.ts';"],
    ['infra/local/server.ts', "import './machine.ts';"],
    ['infra/local/server.ts', "import type { Machine } from './machine.ts';"],
    ['infra/local/machine.ts', "import './watch/watch.ts';"],
    ['infra/local/machine.ts', "import './messaging/queues.ts';"],
    ['infra/local/watch/new.ts', "import '../messaging/queues.ts';"],
  ])('%s is refused: %s', async (file, source) => {
    expect(await problems(file, source)).toEqual(['house/no-import-circle']);
  });
});

test.each(['shared/new/new.ts', 'shared/domain/new.ts', 'infra/new/new.ts'])(
  '%s is in no known folder',
  async (file) => {
    expect(await problems(file, '')).toEqual(['boundaries/no-unknown-files']);
  },
);
