import type { FieldProblem } from './failure.ts';

/** What a change depends on: both look at the record as the change's own transaction has read it. */
export interface ChangeConditions<T> {
  /** Problems that count only if the value changes; see `merge`. */
  doubts?: readonly FieldProblem[];
  /** Called with the record as the API shows it. @throws Failure `preconditionFailed` if the caller knows another */
  ifMatch?: (present: T) => void;
}
