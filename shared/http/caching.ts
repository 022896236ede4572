import { hash } from 'node:crypto';
import type { Caching, Endpoint } from '../contract/endpoint.ts';
import { memoizeLast } from '../core/memoize-last.ts';
import { listsTag } from './entity-tags.ts';
import type { Middleware } from './event.ts';

/**
 * Tells clients how long they may keep a 200. Answers 304 without a body if the client still has the
 * response, by `If-None-Match` (RFC 9110, section 13.1.2).
 *
 * The `ETag` is weak. A strong tag promises the same bytes (section 8.8.3.3), but API Gateway compresses the
 * body later, and only for some clients.
 */
export function caching({ scope }: Endpoint, { seconds }: Caching): Middleware {
  const tagOf = memoizeLast((body: string) => `W/"${hash('sha256', body, 'base64url').slice(0, 16)}"`);
  const [keptBy, differsBy] =
    scope === 'public' ? ['public', 'Accept-Encoding'] : ['private', 'Authorization, Accept-Encoding'];
  return {
    after: (request) => {
      const { event, response } = request;
      if (response?.statusCode !== 200) return;
      const tag = tagOf(response.body);
      const headers = { ETag: tag, 'Cache-Control': `${keptBy}, max-age=${seconds}`, Vary: differsBy };
      request.response = listsTag(event.headers['if-none-match'] ?? '', tag)
        ? { statusCode: 304, headers, body: '' }
        : { ...response, headers: { ...response.headers, ...headers } };
    },
  };
}
