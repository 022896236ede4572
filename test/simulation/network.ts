import { faultNames, type Fault } from './behaviour.ts';
import { sdkErrors } from './errors.ts';
import type { CarryOut, Result, Sender, Server } from './server.ts';

/** A call, as its sender makes it. */
export interface Call {
  sender: Sender;
  signal: AbortSignal | undefined;
  carryOut: CarryOut;
  /** Error for a throttled call of this kind. */
  throttled: () => Error;
  /** Fault of the call. If undefined, chance decides. */
  fault?: Fault | undefined;
}

/** Network between senders and the server. The network can lose calls and replies. */
export class Network {
  readonly #server: Server;
  /** Number of calls on their way to the server or being carried out. */
  #underWay = 0;

  constructor(server: Server) {
    this.#server = server;
  }

  /** True if no call is on its way to the server or being carried out. */
  get isIdle(): boolean {
    return this.#underWay === 0;
  }

  /** Resolves with the output, rejects with the SDK's error, or never settles for a dead sender. */
  send(call: Call): Promise<object> {
    return new Promise((resolve, reject) => {
      const { sender, signal } = call;
      if (signal?.aborted) {
        reject(sdkErrors.aborted(signal.reason));
        return;
      }
      const { time, behaviour } = this.#server;
      let open = true;
      const settle = (result: Result) => {
        if (!open) return;
        open = false;
        stopWaiting();
        signal?.removeEventListener('abort', onAbort);
        if (sender.dead) return;
        if ('output' in result) resolve(result.output);
        else reject(result.error);
      };
      const onAbort = () => {
        settle({ error: sdkErrors.aborted(signal?.reason) });
      };
      signal?.addEventListener('abort', onAbort);
      const { senderTimeout } = behaviour;
      const stopWaiting = time.at(senderTimeout, () => {
        settle({ error: sdkErrors.timeout(senderTimeout) });
      });
      this.#deliver(call, call.fault ?? this.#faultOf(), settle);
    });
  }

  #deliver({ carryOut, throttled }: Call, fault: Fault | undefined, settle: (result: Result) => void): void {
    const { time, chance, behaviour } = this.#server;
    const travel = chance.within(behaviour.network);
    if (fault === 'requestLost') {
      this.#lose(travel, settle);
      return;
    }
    const delay = fault === 'requestDelayed' ? chance.within(behaviour.requestDelay) : 0;
    this.#underWay++;
    time.atQuietly(travel + delay, () => {
      const begin: CarryOut =
        fault === 'throttled'
          ? (reply) => {
              reply({ error: throttled() });
            }
          : fault === 'errorBefore'
            ? (reply) => {
                reply({ error: sdkErrors.internal() });
              }
            : carryOut;
      begin((result) => {
        this.#underWay--;
        const back = chance.within(behaviour.network);
        if (fault === 'replyLost') {
          this.#lose(back, settle);
          return;
        }
        time.at(back, () => {
          settle(fault === 'errorAfter' ? { error: sdkErrors.internal() } : result);
        });
      });
    });
  }

  /** Fails a call with a reset connection, or with the sender's timeout. */
  #lose(delay: number, settle: (result: Result) => void): void {
    const { time, chance, behaviour } = this.#server;
    if (chance.happens(behaviour.timeoutChance)) return;
    time.at(delay, () => {
      settle({ error: sdkErrors.reset() });
    });
  }

  #faultOf(): Fault | undefined {
    const { faults } = this.#server.behaviour;
    let sum = 0;
    for (const name of faultNames) sum += faults[name];
    if (sum === 0) return undefined;
    let drawn = this.#server.chance.random();
    return faultNames.find((name) => {
      drawn -= faults[name];
      return drawn < 0;
    });
  }
}
