import type { FieldProblem } from './failure.ts';

/** Conditions of a change. Both concern the record as the change's own transaction has read it. */
export interface ChangeConditions<T> {
  /** Problems that count only if the value changes; see `merge`. */
  doubts?: readonly FieldProblem[];
  /** Called with the record as the API shows it. @throws Failure `outdated` if the caller knows another version */
  refuseOutdated?: (present: T) => void;
}
