/** Settings of a function, which the stack writes into the environment. A function has only the settings that it uses. */
export const settings = {
  /** Namespace of the metrics. Without it, the lines of log make no metrics. */
  get metricsNamespace() {
    return process.env['METRICS_NAMESPACE'];
  },
  /** Header with the rates of the stage's own web ACL, if the stage has such rates. */
  get rateLimitPolicy() {
    return process.env['RATE_LIMIT_POLICY'];
  },
  /** Maximum number of forms, or of events of calls, that a key stores in a day. */
  get maxPerKeyAndDay() {
    return Number(process.env['FORMS_PER_KEY_PER_DAY']);
  },
  /** Paths of the endpoints that take their token from the query, in the form of the API. */
  get keyedPaths() {
    return (process.env['KEYED_PATHS'] ?? '').split(' ');
  },
  /** Maximum number of refused tokens of one address in a minute. */
  get refusedPerMinute() {
    return Number(process.env['REFUSED_TOKENS_PER_MINUTE']);
  },
  /** Names of the functions that `keep-warm` calls: a common prefix, and the rest of each name. */
  get functionNames() {
    const { FUNCTION_PREFIX: prefix = '', FUNCTIONS: rests = '' } = process.env;
    return rests.split(' ').map((rest) => `${prefix}${rest}`);
  },
  /** True on a local machine. Receivers of webhooks may then be on this computer, also by http and at any port. */
  get reachesLoopback() {
    return process.env['WEBHOOKS_REACH_LOOPBACK'] === 'yes';
  },
};
