/** Seconds for which API Gateway caches the authorizer's answer. A revoked token works for no longer. */
export const authorizerCacheTime = 60;
