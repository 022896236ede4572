import { answersRecord, takesIfMatch, type Endpoint } from '../../shared/contract/endpoint.ts';

/** True if an operation answers 304 to a client that has the record. */
export const answersNotModified = (endpoint: Endpoint): boolean =>
  endpoint.method === 'GET' && answersRecord(endpoint);

/** Headers of a request that are about the revision of its record (docs/reference.md, Revisions). */
export const revisionParameters = (endpoint: Endpoint): object[] => [
  ...(takesIfMatch(endpoint)
    ? [parameter('If-Match', 'The `ETag` of the record as the client knows it: if it is another by now, 412')]
    : []),
  ...(answersNotModified(endpoint)
    ? [parameter('If-None-Match', 'The `ETag` of the record that the client has: while it is the same, 304')]
    : []),
];

const parameter = (name: string, description: string) => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string' },
  'x-extension': true,
});
