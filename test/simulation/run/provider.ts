import type { OutgoingSms, SmsOutcome } from '../../../shared/domain/sms/sms-provider.ts';
import type { VirtualTime } from '../virtual-time.ts';
import type { Draw } from './draw.ts';

/** A provider's delivery report for an SMS that it accepted. */
export interface Report {
  providerId: string;
  /** Number of the message, as the provider was given it; undefined if the provider was given none. */
  message: string | undefined;
  eventType: string;
  isFinal: boolean;
}

/** An SMS that was handed to the provider. */
export interface Handover extends OutgoingSms {
  at: number;
  /** Outcome that the function gets; undefined before. */
  outcome: SmsOutcome | undefined;
}

const cause = new Error('simulated');
const optedOut: SmsOutcome = { status: 'FAILED', reason: 'OPTED_OUT', cause };
const refused: SmsOutcome = { status: 'FAILED', reason: 'REFUSED', cause };
const unreached: SmsOutcome = { status: 'FAILED', reason: 'UNREACHED', cause };
const unknown: SmsOutcome = { status: 'UNKNOWN', reason: 'UNKNOWN', cause };

/** Sequences of delivery reports for an accepted SMS: the type of each. Some contradict each other. */
const courses: readonly (readonly [reports: readonly string[], weight: number])[] = [
  [[], 1],
  [['TEXT_DELIVERED'], 6],
  [['TEXT_QUEUED', 'TEXT_PENDING', 'TEXT_DELIVERED'], 2],
  [['TEXT_SUCCESSFUL', 'TEXT_DELIVERED'], 1],
  [['TEXT_CARRIER_UNREACHABLE'], 2],
  [['TEXT_UNKNOWN'], 1],
  [['TEXT_DELIVERED', 'TEXT_BLOCKED'], 1],
];

/** Types of the reports after which others may follow. */
const onTheWay = ['TEXT_QUEUED', 'TEXT_PENDING'];

/** The SMS provider. The provider accepts an SMS, refuses it, or does not respond, after a random delay. */
export class Provider {
  count = 0;
  readonly #time: VirtualTime;
  readonly #draw: Draw;
  readonly #troubles: number;
  readonly #report: (organization: string, report: Report) => void;
  #underWay = 0;

  /**
   * `troubles`: probability that an SMS is not accepted at once. `report` is called for each delivery report.
   */
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

  /** True if it has no more reports. */
  get isIdle(): boolean {
    return this.#underWay === 0;
  }

  /** Takes an SMS. `tell` is called with the outcome that the function gets. */
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
    // With an unknown outcome, the provider may have accepted the SMS.
    const isTaken = outcome.status === 'SENT' || (outcome.status === 'UNKNOWN' && draw.happens(0.5));
    if (isTaken) this.#reportAll(handover, providerId);
    this.#time.at(delay, () => {
      handover.outcome = outcome;
      tell(outcome);
    });
  }

  /** Sends the delivery reports of an SMS. Some come before its sender knows that it was accepted. */
  #reportAll({ context }: Handover, providerId: string): void {
    const draw = this.#draw;
    for (const eventType of draw.weighted(courses)) {
      this.#underWay++;
      const delay = draw.pick([draw.between(0, 30), draw.between(100, 1500), draw.between(1000, 8000)]);
      this.#time.at(delay, () => {
        this.#underWay--;
        const { organization = '', message } = context;
        this.#report(organization, {
          providerId,
          message,
          eventType,
          isFinal: !onTheWay.includes(eventType),
        });
      });
    }
  }
}

/** True for numbers that want no SMS. */
const hasOptedOut = (number: string) => number.endsWith('3');
