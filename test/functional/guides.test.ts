import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileFunction } from 'node:vm';
import { expect, inject, test } from 'vitest';
import { root } from '../../infra/root.ts';
import { assignmentsIn, isCurl } from '../../infra/site/requests.ts';
import { guideOf } from '../support/docs/guide.ts';
import { pagesWithRequests, playPage, servedPages } from '../support/docs/guide-pages.ts';
import { playable } from '../support/docs/play-guide.ts';
import { newOrganization } from '../support/test-organization.ts';

// The curl commands themselves are run by guides.full.test.ts.
test.each(pagesWithRequests)(
  'each request of %s succeeds in JavaScript, and its answer is as the page shows',
  async (page) => {
    expect((await playPage(page, 'js')).length).toBeGreaterThan(0);
  },
);

test('the loop of guides/pages walks through all leads, however many steps there are', async () => {
  const { api, token } = await newOrganization();
  for (const firstName of ['Ann', 'Bea', 'Cy']) await api.call('createLead', { body: { firstName } });
  const [, loop = ''] = /^```js\n([\s\S]*?)^```$/m.exec(guideOf('guides/pages', '')) ?? [];
  for (const limit of [100, 2]) {
    const names: string[] = [];
    const console = { log: (_: string, name: string) => names.push(name) };
    const body = `return (async () => {\n${loop.replace('limit=100', `limit=${limit}`)}\n})();`;
    const walk = compileFunction(body, ['API', 'TOKEN', 'console']) as (
      ...values: unknown[]
    ) => Promise<void>;
    await walk(inject('baseUrl'), token, console);
    expect(names).toEqual(['Cy', 'Bea', 'Ann']);
  }
});

/** Blocks of code that are no requests and answers: the tests that run them, by their page and languages. */
const otherBlocks = {
  'guides/agents json, sh': 'test/functional/agents.test.ts',
  'guides/clients sh': 'test/infra/commands.test.ts',
  'guides/forms html, js': 'test/outside/browser/guide.ts',
  'guides/keeping-in-step js, sh, sql': 'test/support/docs/copy-program.ts',
  'guides/pages js': 'test/functional/guides.test.ts',
  'guides/voice-platforms , json': 'test/functional/voice-guides.test.ts',
  'guides/webhooks go, java, js, json, python, sh':
    'test/outside/webhooks/receivers.ts test/functional/webhook-arrivals.test.ts',
  'reference/calls json': 'test/shared/contract/reference-examples.test.ts',
  'reference/events json': 'test/shared/contract/reference-examples.test.ts',
};

test.each(servedPages)('$file has nothing of the repository or a laptop', ({ file, markdown }) => {
  const source = readFileSync(join(root, `docs/${file}.md`), 'utf8');
  expect(source).not.toMatch(
    /\bnpm (?:ci|run|start|test)\b|npx cdk|localhost|laptop|local machine|\b(?:infra|shared|test)\//i,
  );
  expect(source).not.toMatch(/\]\((?!https?:|#)(?!(?:\.\.\/(?:guides|reference)\/)?[\w-]+\.md)/);
  expect(markdown).not.toContain('api.example.com');
});

test('every block of code is run by a test', () => {
  const left = servedPages.flatMap(({ file, markdown }) => {
    const rest = markdown.replaceAll(playable, (block: string, code?: string) =>
      code !== undefined && (isCurl(code) || assignmentsIn(code)) ? '' : block,
    );
    const languages = [...rest.matchAll(/^ *```(\w*)\n[\s\S]*?\n *```$/gm)].map(
      ([, language = '']) => language,
    );
    return languages.length > 0 ? [`${file} ${[...new Set(languages)].sort().join(', ')}`] : [];
  });
  expect(left.sort()).toEqual(Object.keys(otherBlocks));
  for (const [blocks, runners] of Object.entries(otherBlocks)) {
    const name = /\/([\w-]+)/.exec(blocks)?.[1] ?? '';
    for (const runner of runners.split(' ')) {
      const code = readFileSync(join(root, runner), 'utf8');
      expect(code.includes(name) || code.includes("'docs/**/*.md'"), `${runner} runs ${name}`).toBe(true);
    }
  }
});
