import type { CommandContext } from './command.ts';
import { counted } from './output.ts';

/** Milliseconds between two progress lines. */
const interval = 5000;

/** Prints every few seconds how much of a long command is done, its rate, and the time left. */
export class Progress {
  readonly #context: Pick<CommandContext, 'progress' | 'system'>;
  readonly #what: string;
  readonly #total: number | undefined;
  readonly #began: number;
  #lastPrinted: number;

  /** `what` is the plural of the things counted; `total` is their number, if known. */
  constructor(context: Pick<CommandContext, 'progress' | 'system'>, what: string, total?: number) {
    this.#context = context;
    this.#what = what;
    this.#total = total;
    this.#began = this.#lastPrinted = context.system.now();
  }

  /** Reports the number done so far. It may be called as often as convenient. */
  update(done: number): void {
    const now = this.#context.system.now();
    if (now - this.#lastPrinted < interval) return;
    this.#lastPrinted = now;
    const rate = (done * 1000) / (now - this.#began);
    const of = this.#total === undefined ? '' : ` of ${counted(this.#total)}`;
    const left = this.#total === undefined || done === 0 ? '' : `, ${time((this.#total - done) / rate)} left`;
    this.#context.progress(
      `${counted(done)}${of} ${this.#what}, ${counted(Math.round(rate))} a second${left}`,
    );
  }
}

function time(seconds: number): string {
  const [whole, unit] = seconds < 90 ? [seconds, 'second'] : [seconds / 60, 'minute'];
  const rounded = Math.ceil(whole);
  return `${counted(rounded)} ${unit}${rounded === 1 ? '' : 's'}`;
}
