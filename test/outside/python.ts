import { join } from 'node:path';
import { output, runs } from './commands.ts';

/**
 * Says in a sentence why a tool in Python cannot be installed. Undefined if it can.
 *
 * @param minMinor oldest Python 3 that the tool supports
 */
export async function missingPython(tool: string, minMinor = 10): Promise<string | undefined> {
  const python = await output('python3', ['--version']).catch(() => undefined);
  if (python === undefined) return `there is no Python 3 (python3), which ${tool} is written in.`;
  const [, version = '', minor = ''] = /Python (3\.(\d+)\S*)/.exec(python) ?? [];
  if (Number(minor) < minMinor)
    return `Python is version ${version}, and the tools need 3.${minMinor} or later.`;
  for (const [module, what] of [
    ['venv', 'the module venv'],
    ['ensurepip', 'the module ensurepip, by which pip comes into an environment'],
  ] as const) {
    if (!(await runs('python3', '-c', `import ${module}`)))
      return `Python has not ${what}: on Debian and Ubuntu, install python3-venv.`;
  }
  return undefined;
}

/**
 * Installs tools into an empty folder by pip, with this machine's settings. Returns the folder of their
 * programs.
 *
 * @param requirements file that names the tools
 * @param tools names for messages
 */
export async function installPackages(folder: string, requirements: string, tools: string): Promise<string> {
  const programs = join(folder, 'bin');
  await output('python3', ['-m', 'venv', folder]);
  // Python compiles the few modules that it loads by itself.
  const options = ['--quiet', '--no-compile', '--disable-pip-version-check'];
  const install = ['install', ...options, '--requirement', requirements];
  await output(join(programs, 'pip'), install, {}, `pip did not get ${tools}`);
  return programs;
}
