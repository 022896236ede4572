import type { Context } from './command.ts';
import { counted } from './output.ts';

/** How often it is told how far a long command has come, in milliseconds. */
const interval = 5000;

/** Tells every few seconds how far a long command has come, how fast it is, and how long it will still take. */
export class Progress {
  readonly #context: Pick<Context, 'progress' | 'system'>;
  readonly #what: string;
  readonly #total: number | undefined;
  readonly #began: number;
  #told: number;

  /** `what` is counted, in the plural; `total` is how many there are, if that is known. */
  constructor(context: Pick<Context, 'progress' | 'system'>, what: string, total?: number) {
    this.#context = context;
    this.#what = what;
    this.#total = total;
    this.#began = this.#told = context.system.now();
  }

  /** That so many are done by now: call it as often as you like. */
  note(done: number): void {
    const now = this.#context.system.now();
    if (now - this.#told < interval) return;
    this.#told = now;
    const rate = (done * 1000) / (now - this.#began);
    const of = this.#total === undefined ? '' : ` of ${counted(this.#total)}`;
    const left = this.#total === undefined || done === 0 ? '' : `, ${time((this.#total - done) / rate)} left`;
    this.#context.progress(
      `${counted(done)}${of} ${this.#what}, ${counted(Math.round(rate))} a second${left}`,
    );
  }
}

/** Some seconds, in words. */
function time(seconds: number): string {
  const [whole, unit] = seconds < 90 ? [seconds, 'second'] : [seconds / 60, 'minute'];
  const rounded = Math.ceil(whole);
  return `${counted(rounded)} ${unit}${rounded === 1 ? '' : 's'}`;
}
