import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../infra/root.ts';
import { output } from '../commands.ts';
import { installPackages, installPython, type Packages } from '../tools.ts';
import { byReceiver, byScript, type Verify } from './verify.ts';

/** A receiver of docs/guides/webhooks.md in a language. */
export interface Receiver {
  language: string;
  /** Installs what the receiver needs into an empty folder. */
  install: (folder: string) => Promise<Verify>;
}

/** Program of docs/guides/webhooks.md in a language. The heading above the program names the language. */
function guideProgram(heading: 'JavaScript' | 'Python' | 'Go' | 'Java' | 'A shell'): string {
  const [, section = ''] = readFileSync(join(root, 'docs/guides/webhooks.md'), 'utf8').split(
    `\n### ${heading}\n`,
  );
  const [, program] = /^```\w+\n([\s\S]*?)^```$/m.exec(section) ?? [];
  if (program === undefined) throw new Error(`docs/guides/webhooks.md has no program under "${heading}"`);
  return program;
}

const own = (name: string) => join(import.meta.dirname, name);

/** Libraries that verify in JavaScript. */
export const packages: Packages = {
  from: import.meta.dirname,
  one: 'svix',
  called: 'the packages of svix',
};

async function inJavaScript(program: string, folder: string): Promise<Verify> {
  await installPackages(packages, folder);
  const file = join(folder, 'receiver.mjs');
  writeFileSync(file, program);
  return byReceiver(process.execPath, file);
}

export const receivers: readonly Receiver[] = [
  { language: 'JavaScript', install: (folder) => inJavaScript(guideProgram('JavaScript'), folder) },
  {
    language: 'JavaScript, with svix',
    install: (folder) =>
      inJavaScript(guideProgram('JavaScript').replace("from 'standardwebhooks'", "from 'svix'"), folder),
  },
  {
    language: 'Python',
    install: async (folder) => {
      const file = join(folder, 'receiver.py');
      writeFileSync(file, guideProgram('Python'));
      const programs = await installPython(import.meta.dirname, join(folder, 'python'), 'standardwebhooks');
      return byReceiver(join(programs, 'python'), file);
    },
  },
  {
    language: 'Go',
    install: async (folder) => {
      cpSync(own('go'), folder, { recursive: true });
      writeFileSync(join(folder, 'main.go'), guideProgram('Go'));
      await output('go', ['vet', '.'], { cwd: folder });
      await output('go', ['build', '-o', 'receiver', '.'], { cwd: folder });
      return byReceiver(join(folder, 'receiver'));
    },
  },
  {
    language: 'Java',
    install: async (folder) => {
      const file = join(folder, 'Receiver.java');
      writeFileSync(file, guideProgram('Java'));
      const goal = ['dependency:copy-dependencies', `-DoutputDirectory=${folder}`];
      const args = ['--batch-mode', '--quiet', '--file', own('pom.xml'), ...goal];
      await output('mvn', args, {}, 'Maven did not get standardwebhooks');
      return byReceiver('java', '-classpath', join(folder, '*'), file);
    },
  },
  {
    language: 'a shell, with openssl',
    install: (folder) => {
      const file = join(folder, 'verify.sh');
      writeFileSync(file, guideProgram('A shell'));
      return Promise.resolve(byScript(file, join(folder, 'body')));
    },
  },
];
