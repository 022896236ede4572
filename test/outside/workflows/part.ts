import { globSync } from 'node:fs';
import { root } from '../../../infra/root.ts';
import { output } from '../commands.ts';
import type { Part } from '../part.ts';
import { missingGo } from '../tools.ts';

const module = 'github.com/rhysd/actionlint/cmd/actionlint@v1.7.12';

/** Checks the workflows of GitHub Actions. The linter checks their shell, too, if ShellCheck is there. */
export const workflows: Part = {
  name: 'workflows',
  about: 'checks the workflows of GitHub Actions, by actionlint',
  missing: () => missingGo('which actionlint is written in'),
  run: async () => {
    const files = globSync('.github/workflows/*.yml', { cwd: root });
    await output('go', ['run', module, '-no-color', ...files], { cwd: root }, 'actionlint found mistakes');
    process.stdout.write(`  ${files.length} workflows, and no mistake.\n`);
  },
};
