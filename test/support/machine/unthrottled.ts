/**
 * Settings with the highest rates that a stage can have, because tests send more at once than a stage takes.
 */
export const unthrottled = {
  requestsPerSecond: '10000',
  requestBurst: '5000',
  refusedTokensPerAddressPerMinute: '600000',
};

/** The same as options of `npm start`. */
export const unthrottledOptions = Object.entries(unthrottled).flatMap(([name, value]) => [
  '-c',
  `${name}=${value}`,
]);
