import { join } from 'node:path';
import { output } from '../commands.ts';

/** Pinned: later versions need the module pb33f/go-yaml, which the public Go proxy does not serve. */
const module = 'github.com/oasdiff/oasdiff@v1.33.0';

/** oasdiff, which compares descriptions, too. */
export class Oasdiff {
  readonly #program: string;

  private constructor(program: string) {
    this.#program = program;
  }

  /** Builds it. @throws LocalError if it cannot be got */
  static async install(folder: string): Promise<Oasdiff> {
    const env = { ...process.env, GOBIN: folder };
    await output('go', ['install', module], { env }, 'Go did not get oasdiff');
    return new Oasdiff(join(folder, 'oasdiff'));
  }

  /** What it finds to break clients, by the names of its checks. */
  async breaks(before: string, after: string): Promise<string[]> {
    const stdout = await output(this.#program, ['breaking', before, after, '--format', 'json']);
    const found = stdout.trim() === '' ? [] : (JSON.parse(stdout) as { id: string }[]);
    return found.map(({ id }) => id);
  }
}
