/** Condition of a change. The condition concerns the record that the change's own transaction has read. */
export interface ChangeConditions<T> {
  /**
   * Called with the record as the API shows it.
   * @throws Failure `outdated` if the caller knows another version; `invalid` if the caller would change a field that
   * never changes
   */
  refuseOutdated?: (present: T) => void;
}
