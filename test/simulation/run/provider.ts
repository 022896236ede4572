import type { TextOutcome } from '../../../shared/domain/sms/send-text.ts';
import type { VirtualTime } from '../virtual-time.ts';
import type { Draw } from './draw.ts';

/** A text that was handed to the provider of SMS. */
export interface Handover {
  to: string;
  text: string;
  at: number;
  /** What the function is told; undefined until it is. */
  outcome: TextOutcome | undefined;
}

const cause = new Error('simulated');
const optedOut: TextOutcome = { status: 'FAILED', reason: 'OPTED_OUT', cause };
const refused: TextOutcome = { status: 'FAILED', reason: 'REFUSED', cause };
const unreached: TextOutcome = { status: 'FAILED', reason: 'UNREACHED', cause };
const unknown: TextOutcome = { status: 'UNKNOWN', reason: 'UNKNOWN', cause };

/** The provider of SMS: takes texts, refuses them, or says nothing, sooner or later. */
export class Provider {
  count = 0;
  readonly #time: VirtualTime;
  readonly #draw: Draw;
  readonly #troubles: number;

  /** `troubles`: how likely a text is not simply taken. */
  constructor(time: VirtualTime, draw: Draw, troubles: number) {
    this.#time = time;
    this.#draw = draw;
    this.#troubles = troubles;
  }

  /** Takes a text; `tell` is called with what the function hears of it. */
  take(handover: Handover, tell: (outcome: TextOutcome) => void): void {
    const providerId = `provided-${++this.count}`;
    const draw = this.#draw;
    const reply: TextOutcome = hasOptedOut(handover.to) ? optedOut : { status: 'SENT', providerId };
    const [delay, outcome]: [number, TextOutcome] = draw.happens(this.#troubles)
      ? draw.weighted<[number, TextOutcome]>([
          [[draw.between(20, 300), refused], 3],
          [[5, unreached], 2],
          [[6000, unknown], 2],
          [[draw.between(20, 3000), unknown], 1],
          [[draw.between(1000, 5900), reply], 3],
        ])
      : [draw.between(20, 120), reply];
    this.#time.at(delay, () => {
      handover.outcome = outcome;
      tell(outcome);
    });
  }
}

/** Whoever has one of these numbers wants no SMS. */
const hasOptedOut = (number: string) => number.endsWith('3');
