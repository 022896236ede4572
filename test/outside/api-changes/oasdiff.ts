import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Its newest version whose modules can all be had from a proxy alone. */
const module = 'github.com/oasdiff/oasdiff@v1.33.0';

/** oasdiff, which compares descriptions, too. */
export class Oasdiff {
  readonly #program: string;

  private constructor(program: string) {
    this.#program = program;
  }

  /** Builds it. @throws Error if it cannot be got */
  static async install(folder: string): Promise<Oasdiff> {
    await run('go', ['install', module], { env: { ...process.env, GOBIN: folder } });
    return new Oasdiff(join(folder, 'oasdiff'));
  }

  /** What it finds to break clients, by the names of its checks. */
  async breaks(before: string, after: string): Promise<string[]> {
    const { stdout } = await run(this.#program, ['breaking', before, after, '--format', 'json']);
    const found = stdout.trim() === '' ? [] : (JSON.parse(stdout) as { id: string }[]);
    return found.map(({ id }) => id);
  }
}
