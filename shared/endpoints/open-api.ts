import * as v from 'valibot';
import { endpoint } from './endpoint.ts';

export const about = 'The description of this API';

export const getOpenApi = endpoint({
  method: 'GET',
  path: '/openapi',
  scope: 'public',
  access: 'none',
  summary: 'Read this description',
  params: {},
  responses: { 200: v.looseObject({ openapi: v.string() }) },
  errors: [],
  example: { response: { openapi: '3.1.0' } },
});
