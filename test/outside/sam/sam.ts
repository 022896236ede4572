import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { freePort } from '../../../infra/local/engine.ts';
import { samLocalDatabase } from '../../../infra/stack/stage.ts';
import { output } from '../commands.ts';
import { withServer } from '../with-server.ts';
import { SamTemplate } from './sam-template.ts';

interface Setting {
  /** Folder of SAM's programs. */
  programs: string;
  /** Folder for SAM's files. */
  folder: string;
  template: string;
  /** Value of `DOCKER_HOST`. */
  docker: string;
  /** Port of the database, which overrides that of the template. */
  databasePort: string;
}

/** Option that lets containers find the computer if Docker runs on Linux. */
const findsComputer = ['--add-host', `${samLocalDatabase.host}:host-gateway`];

/** The SAM CLI with one template. Knows no AWS account. */
export class Sam {
  readonly #setting: Setting;
  readonly #environment: NodeJS.ProcessEnv;
  /** File for `--env-vars`. */
  readonly #variables: string;

  constructor(setting: Setting) {
    const { folder, docker, databasePort } = setting;
    this.#setting = setting;
    const database = `http://${samLocalDatabase.host}:${databasePort}`;
    mkdirSync(folder);
    this.#variables = this.#write('env.json', { Parameters: { AWS_ENDPOINT_URL_DYNAMODB: database } });
    // Keeps SAM from looking for a newer version.
    this.#write('metadata.json', { lastVersionCheck: Date.now() / 1000 });
    const inherited = Object.entries(process.env).filter(([name]) => !/^(AWS_|SAM_)/.test(name));
    this.#environment = {
      ...Object.fromEntries(inherited),
      __SAM_CLI_APP_DIR: folder,
      SAM_CLI_TELEMETRY: '0',
      DOCKER_HOST: docker,
      AWS_CONFIG_FILE: '/dev/null',
      AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
      AWS_EC2_METADATA_DISABLED: 'true',
    };
  }

  /** Reads the template as SAM does. */
  async readTemplate(): Promise<SamTemplate> {
    const program = join(import.meta.dirname, 'read_template.py');
    const printed = await this.#run('python', [program, this.#setting.template, this.#variables]);
    return v.parse(v.pipe(v.string(), v.parseJson(), SamTemplate), printed);
  }

  /** Runs `sam local invoke`, and returns the function's answer to an event. */
  async invoke(id: string, event: unknown): Promise<unknown> {
    const file = this.#write('event.json', event);
    const printed = await this.#run('sam', ['local', 'invoke', id, '-e', file, ...this.#options]);
    return JSON.parse(printed) as unknown;
  }

  /** Runs `sam local start-api` while `use` runs. */
  async withApi<T>(use: (baseUrl: string) => Promise<T>): Promise<T> {
    const port = await freePort();
    const command = [
      'env',
      ...Object.entries(this.#environment).map(([name, value]) => `${name}=${value ?? ''}`),
      join(this.#setting.programs, 'sam'),
      ...['local', 'start-api', '--port', String(port), '--warm-containers', 'LAZY', ...this.#options],
    ];
    const url = `http://127.0.0.1:${port}`;
    return withServer({ name: 'sam local start-api', url, command }, () => use(url));
  }

  get #options(): string[] {
    return ['-t', this.#setting.template, '--env-vars', this.#variables, ...findsComputer];
  }

  #run(program: string, args: string[]): Promise<string> {
    const { programs, folder } = this.#setting;
    return output(join(programs, program), args, { cwd: folder, env: this.#environment });
  }

  #write(name: string, value: unknown): string {
    const file = join(this.#setting.folder, name);
    writeFileSync(file, JSON.stringify(value));
    return file;
  }
}
