import { once } from 'node:events';
import { expect, test } from 'vitest';
import { boundCommand, startBound } from '../../../infra/local/bound-process.ts';

const program = 'console.error("up"); setInterval(() => undefined, 1000);';

test.each(['linux', 'darwin', 'win32'] as const)(
  'a program starts, and ends when asked to, as on %s',
  async (platform) => {
    const { child, end } = startBound(process.execPath, ['-e', program], platform);
    const [said] = (await once(child.stderr, 'data')) as [Buffer];
    expect(said.toString()).toBe('up\n');
    end();
    await once(child, 'exit');
  },
);

test('on Windows the program starts without a shell, as a child of this process', () => {
  expect(boundCommand('dynoxide.exe', 'win32')).toEqual({
    command: 'dynoxide.exe',
    before: [],
    detached: false,
  });
});
