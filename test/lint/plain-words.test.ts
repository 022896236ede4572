import { ESLint } from 'eslint';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const eslint = new ESLint({
  overrideConfigFile: join(import.meta.dirname, '../../eslint.config.js'),
  overrideConfig: { languageOptions: { parserOptions: { projectService: false } } },
  ruleFilter: ({ ruleId }) => ruleId === 'house/plain-words',
});

const long = `${'word '.repeat(30)}word.`;
const noun = 'Repeat the noun where the sentence says "that of".';

test.each([
  ['shared/core/new.ts', '// Its name is that of a lead.\n', [[1, noun]]],
  ['shared/core/new.ts', 'let one;\n/**\n * Plain.\n * Its name is that\n * of a lead.\n */\n', [[4, noun]]],
  ['shared/core/new.ts', `/* ${long} */\n`, [[1, expect.stringMatching('31 words') as string]]],
  [
    'docs/guides/forms.md',
    'A name.\n\n| A list | from which a row comes |\n',
    [[3, expect.stringMatching('from which') as string]],
  ],
  ['docs/guides/forms.md', `Plain words.\n\n\`\`\`\n${long}\n\`\`\`\n\n${long.replace(' ', '. ')}\n`, []],
])('%s with %j', async (filePath, text, expected) => {
  const [result] = await eslint.lintText(text, { filePath });
  expect(result!.messages.map(({ line, message }) => [line, message])).toEqual(expected);
});
