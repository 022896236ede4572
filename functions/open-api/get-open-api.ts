import { ok } from '../../shared/endpoints/endpoint.ts';
import { getOpenApi } from '../../shared/endpoints/open-api.ts';
import { serve } from '../../shared/http/serve.ts';

/** The OpenAPI document: `infra/bundle.ts` makes it from the contracts and puts it in this name's place. */
declare const OPEN_API_DOCUMENT: { openapi: string };

export const handler = serve(getOpenApi, () => ok(OPEN_API_DOCUMENT));
