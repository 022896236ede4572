import type { TextOutcome } from '../../../shared/sms/send-text.ts';
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
    const taken = { status: 'SENT', providerId } as const;
    const [delay, outcome]: [number, TextOutcome] = draw.happens(this.#troubles)
      ? draw.weighted<[number, TextOutcome]>([
          [
            [
              draw.between(20, 300),
              failed('FAILED', 'The SMS provider refused the message; it was not sent'),
            ],
            3,
          ],
          [[5, failed('FAILED', 'The SMS provider could not be reached; the message was not sent')], 2],
          [[6000, failed('UNKNOWN', unknown)], 2],
          [[draw.between(20, 3000), failed('UNKNOWN', unknown)], 1],
          [[draw.between(1000, 5900), taken], 3],
        ])
      : [draw.between(20, 120), taken];
    this.#time.at(delay, () => {
      handover.outcome = outcome;
      tell(outcome);
    });
  }
}

const unknown = 'The SMS provider gave no answer; whether the message was sent is not known';

const failed = (status: 'FAILED' | 'UNKNOWN', reason: string): TextOutcome => ({
  status,
  reason,
  cause: new Error('simulated'),
});
