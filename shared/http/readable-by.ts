/** Headers that let the scripts of a site, or of any (`*`), read the response. */
export const readableBy = (site: string | undefined): Record<string, string> =>
  site === undefined
    ? {}
    : {
        'Access-Control-Allow-Origin': site,
        'Access-Control-Expose-Headers': 'Retry-After, X-Request-Id, Idempotency-Replayed',
      };
