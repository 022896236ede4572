import { Environment, type EnvironmentOptions } from './environment.ts';

/** A limited number of environments. A caller waits until one is free. */
export class Pool {
  /** Number of environments that died. */
  deaths = 0;
  readonly #size: number;
  readonly #name: string;
  readonly #environmentOptions: EnvironmentOptions;
  readonly #idle: Environment[] = [];
  readonly #waiting: ((environment: Environment) => void)[] = [];
  #alive = 0;
  #count = 0;

  constructor(name: string, size: number, environmentOptions: EnvironmentOptions) {
    this.#name = name;
    this.#size = size;
    this.#environmentOptions = environmentOptions;
  }

  take(): Promise<Environment> {
    const idle = this.#idle.pop();
    if (idle) return Promise.resolve(idle);
    if (this.#alive < this.#size) return Promise.resolve(this.#start());
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Returns an environment. A dead one is replaced when needed. */
  give(environment: Environment): void {
    if (environment.isDead) {
      this.#alive--;
      this.deaths++;
    } else this.#idle.push(environment);
    const next = this.#waiting.shift();
    if (next) next(this.#idle.pop() ?? this.#start());
  }

  #start(): Environment {
    this.#alive++;
    return new Environment(`${this.#name}-${++this.#count}`, this.#environmentOptions);
  }
}
