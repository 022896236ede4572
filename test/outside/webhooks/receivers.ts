import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { guideProgram } from '../../support/webhooks-guide.ts';
import { output } from '../commands.ts';
import { installInto, type Packages } from '../packages.ts';
import { installPackages } from '../python.ts';
import { byReceiver, byScript, type Verify } from './verify.ts';

/** A receiver of docs/webhooks.md in a language. */
export interface Receiver {
  language: string;
  /** Installs into an empty folder what it needs. */
  install: (folder: string) => Promise<Verify>;
}

const own = (name: string) => join(import.meta.dirname, name);

/** Libraries that verify in JavaScript. */
export const packages: Packages = {
  from: import.meta.dirname,
  one: 'svix',
  called: 'the packages of svix',
};

async function inJavaScript(program: string, folder: string): Promise<Verify> {
  await installInto(folder, packages);
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
      const python = join(folder, 'python');
      mkdirSync(python);
      writeFileSync(file, guideProgram('Python'));
      const programs = await installPackages(python, own('requirements.txt'), 'standardwebhooks');
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
