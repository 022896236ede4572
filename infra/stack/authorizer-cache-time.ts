/** How long API Gateway remembers what a token grants, in seconds: a revoked token works for no longer than this. */
export const authorizerCacheTime = 60;
