import * as v from 'valibot';
import { ok } from '../../shared/contract/endpoint.ts';
import { getOpenApiEndpoint } from '../../shared/contract/open-api.ts';
import { memoizeLast } from '../../shared/core/memoize-last.ts';
import { servePublicEndpoint } from '../../shared/http/serve-public.ts';

/** OpenAPI document as JSON, without `servers`. The bundler replaces this name by the document. */
declare const OPEN_API_DOCUMENT: string;

const document = v.parse(
  v.pipe(v.string(), v.parseJson(), getOpenApiEndpoint.responses[200]),
  OPEN_API_DOCUMENT,
);

const documentAt = memoizeLast((url: string) => ({ ...document, servers: [{ url }] }));

export const handler = servePublicEndpoint(getOpenApiEndpoint, (baseUrl) => ok(documentAt(baseUrl)));
