import * as v from 'valibot';
import { endpoint } from './endpoint.ts';
import type { Descriptions } from './descriptions.ts';

export const tagDescription = 'The description of this API';

export const OpenApiDocument = v.looseObject({ openapi: v.string() });

export const descriptions = {
  OpenApiDocument: {
    is: 'An OpenAPI description',
    fields: { openapi: 'The version of OpenAPI that it is written in' },
  },
} satisfies Descriptions;

export const getOpenApiEndpoint = endpoint({
  method: 'GET',
  path: '/openapi',
  scope: 'public',
  access: 'none',
  summary: 'Read this description',
  description:
    'The description is the same for everyone, but for the address of the server. Clients may keep it for five minutes. After ' +
    'that, its `ETag` as `If-None-Match` tells whether it has changed. Scripts of any website may read it.',
  params: {},
  responses: { 200: OpenApiDocument },
  cache: { seconds: 300 },
  anyOrigin: true,
  errors: [],
  example: { response: { openapi: '3.1.0' } },
});
