/** Condition of a change. The condition concerns the record that the change's own transaction has read. */
export interface ChangeConditions<T> {
  /** Called with the record as the API shows it. @throws Failure `outdated` if the caller knows another version */
  refuseOutdated?: (present: T) => void;
}
