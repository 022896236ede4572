/** Whether a client sends it or gets it. */
export type Direction = 'request' | 'answer';

/**
 * What a change does to the values that are allowed. `lost` is what a client may rely on in either direction,
 * `grown` what clients are told to expect in either, `other` takes and gives at once, `unjudged` is a rule whose
 * change nothing here understands.
 */
export type Effect = 'narrower' | 'wider' | 'lost' | 'grown' | 'other' | 'unjudged';

export type Verdict = 'break' | 'unjudged' | 'addition';

/** A change of the API, and the operations that have it. */
export interface Change {
  verdict: Verdict;
  operations: string[];
  /** A sentence or two: what changed, and which way is safe. */
  text: string;
}

/** Where something stands: in which operation, going which way, and what people call it. */
export interface Place {
  operation: string;
  direction: Direction;
  name: string;
}

/**
 * A client works on when what it sends is still taken, and when it gets nothing that it did not have to
 * expect. So a request may only become wider, and an answer narrower.
 */
export function verdictOf(effect: Effect, direction: Direction): Verdict {
  if (effect === 'unjudged') return 'unjudged';
  if (effect === 'grown') return 'addition';
  return effect === (direction === 'request' ? 'wider' : 'narrower') ? 'addition' : 'break';
}

/** What is said where a person must decide. */
export const judge = 'No rule here says whether that breaks clients: a person must judge.';

const advices: Record<Direction, Record<Effect, string>> = {
  request: {
    narrower: 'What clients send today would be refused: leave it, or loosen it.',
    wider: '',
    lost: 'Clients send it: keep it, and add the new one beside it.',
    grown: '',
    other: 'What clients send today would be refused, or mean something else: leave it.',
    unjudged: judge,
  },
  answer: {
    narrower: '',
    wider: 'Clients would get what they do not expect: leave it, or tighten it.',
    lost: 'Clients wait for it: keep it, and add the new one beside it.',
    grown: 'Clients that know the old ones alone must pass over it.',
    other: 'Clients would get what they do not expect: leave it, and add the new one beside it.',
    unjudged: judge,
  },
};

/** Collects changes. The same change in several operations, of a schema that they share, is one. */
export class Changes {
  readonly #byText = new Map<string, Change>();

  /** Notes what a change does to what is allowed in a place. `what` follows the place's name. */
  note({ operation, direction, name }: Place, effect: Effect, what: string): void {
    const side = direction === 'request' ? 'in requests' : 'in answers';
    const advice = advices[direction][effect];
    this.#add(verdictOf(effect, direction), operation, `${side}, ${name} ${what}. ${advice}`.trim());
  }

  /** Notes whether something has to be there that had not, or the reverse. */
  noteRequired(place: Place, was: boolean, is: boolean): void {
    const [must, may] =
      place.direction === 'request' ? ['is required', 'is optional'] : ['is always there', 'can be missing'];
    if (is && !was) this.note(place, 'narrower', `${must}, and was not`);
    if (was && !is) this.note(place, 'wider', `${may}, and was not`);
  }

  /** Notes a change that goes no direction. */
  tell(verdict: Verdict, operation: string, text: string): void {
    this.#add(verdict, operation, text);
  }

  #add(verdict: Verdict, operation: string, text: string): void {
    const change = this.#byText.get(text) ?? { verdict, operations: [], text };
    if (!change.operations.includes(operation)) change.operations.push(operation);
    this.#byText.set(text, change);
  }

  all(): Change[] {
    return [...this.#byText.values()];
  }
}
