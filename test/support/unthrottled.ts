/** Settings for a machine of tests, which send more at once than a stage takes: the most that a stage can be given. */
export const unthrottled = {
  requestsPerSecond: '10000',
  requestBurst: '5000',
  refusedTokensPerAddressPerMinute: '600000',
};

/** For `MachineOptions.share`: tests of writers that contend need them at once, whatever other tests do meanwhile. */
export const unshared = Infinity;
