import * as v from 'valibot';
import { ok } from '../../shared/contract/endpoint.ts';
import { getOpenApiEndpoint } from '../../shared/contract/open-api.ts';
import { serve } from '../../shared/http/serve.ts';

/** The OpenAPI document as JSON, without its servers: `infra/bundle/bundle.ts` puts it, made from the contracts, in this name's place. */
declare const OPEN_API_DOCUMENT: string;

const document = v.parse(
  v.pipe(v.string(), v.parseJson(), getOpenApiEndpoint.responses[200]),
  OPEN_API_DOCUMENT,
);

export const handler = serve(getOpenApiEndpoint, ({ baseUrl }) =>
  ok({ ...document, servers: [{ url: baseUrl }] }),
);
