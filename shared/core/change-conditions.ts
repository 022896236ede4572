/** Condition of a change. It concerns the record as the change's own transaction has read it. */
export interface ChangeConditions<T> {
  /** Called with the record as the API shows it. @throws Failure `outdated` if the caller knows another version */
  refuseOutdated?: (present: T) => void;
}
