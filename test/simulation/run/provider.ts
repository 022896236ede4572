import type { OutgoingSms, SmsOutcome } from '../../../shared/domain/sms/sms-provider.ts';
import type { VirtualTime } from '../virtual-time.ts';
import type { Draw } from './draw.ts';
import type { Report } from './plans/delivery-reports.ts';

/** A text that was handed to the provider of SMS. */
export interface Handover extends OutgoingSms {
  at: number;
  /** What the function is told; undefined until it is. */
  outcome: SmsOutcome | undefined;
}

/** A report: its type, and whether it is the last. */
type Outcome = readonly [eventType: string, isFinal: boolean];

const cause = new Error('simulated');
const optedOut: SmsOutcome = { status: 'FAILED', reason: 'OPTED_OUT', cause };
const refused: SmsOutcome = { status: 'FAILED', reason: 'REFUSED', cause };
const unreached: SmsOutcome = { status: 'FAILED', reason: 'UNREACHED', cause };
const unknown: SmsOutcome = { status: 'UNKNOWN', reason: 'UNKNOWN', cause };

/** What becomes of a text that was taken: reports in this order, or with others before and after; some contradict each other. */
const courses: readonly (readonly [reports: readonly Outcome[], weight: number])[] = [
  [[], 1],
  [[['TEXT_DELIVERED', true]], 6],
  [
    [
      ['TEXT_QUEUED', false],
      ['TEXT_PENDING', false],
      ['TEXT_DELIVERED', true],
    ],
    2,
  ],
  [
    [
      ['TEXT_SUCCESSFUL', true],
      ['TEXT_DELIVERED', true],
    ],
    1,
  ],
  [[['TEXT_CARRIER_UNREACHABLE', true]], 2],
  [[['TEXT_UNKNOWN', true]], 1],
  [
    [
      ['TEXT_DELIVERED', true],
      ['TEXT_BLOCKED', true],
    ],
    1,
  ],
];

/** The provider of SMS: takes texts, refuses them, or says nothing, sooner or later. */
export class Provider {
  count = 0;
  readonly #time: VirtualTime;
  readonly #draw: Draw;
  readonly #troubles: number;
  readonly #report: (organization: string, report: Report) => void;
  #underWay = 0;

  /** `troubles`: how likely a text is not simply taken. `report` is called with what became of those that were. */
  constructor(
    time: VirtualTime,
    draw: Draw,
    { troubles, report }: { troubles: number; report: (organization: string, report: Report) => void },
  ) {
    this.#time = time;
    this.#draw = draw;
    this.#troubles = troubles;
    this.#report = report;
  }

  /** Whether it has no more to report. */
  get isIdle(): boolean {
    return this.#underWay === 0;
  }

  /** Takes a text; `tell` is called with what the function hears of it. */
  take(handover: Handover, tell: (outcome: SmsOutcome) => void): void {
    const providerId = `provided-${++this.count}`;
    const draw = this.#draw;
    const reply: SmsOutcome = hasOptedOut(handover.to) ? optedOut : { status: 'SENT', providerId };
    const [delay, outcome]: [number, SmsOutcome] = draw.happens(this.#troubles)
      ? draw.weighted<[number, SmsOutcome]>([
          [[draw.between(20, 300), refused], 3],
          [[5, unreached], 2],
          [[6000, unknown], 2],
          [[draw.between(20, 3000), unknown], 1],
          [[draw.between(1000, 5900), reply], 3],
        ])
      : [draw.between(20, 120), reply];
    // Whoever hears nothing cannot know.
    const isTaken = outcome.status === 'SENT' || (outcome.status === 'UNKNOWN' && draw.happens(0.5));
    if (isTaken) this.#reportAll(handover, providerId);
    this.#time.at(delay, () => {
      handover.outcome = outcome;
      tell(outcome);
    });
  }

  /** Reports what becomes of a text, some of it sooner than its sender hears that it was taken. */
  #reportAll({ context }: Handover, providerId: string): void {
    const draw = this.#draw;
    for (const [eventType, isFinal] of draw.weighted(courses)) {
      this.#underWay++;
      const delay = draw.pick([draw.between(0, 30), draw.between(100, 1500), draw.between(1000, 8000)]);
      this.#time.at(delay, () => {
        this.#underWay--;
        const { organization = '', message } = context;
        this.#report(organization, { providerId, message, eventType, isFinal });
      });
    }
  }
}

/** Whoever has one of these numbers wants no SMS. */
const hasOptedOut = (number: string) => number.endsWith('3');
