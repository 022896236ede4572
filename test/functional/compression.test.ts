import { request, type IncomingHttpHeaders } from 'node:http';
import { request as secureRequest } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { deflateSync, gunzipSync, gzipSync, inflateSync } from 'node:zlib';
import { describe, expect, inject, test } from 'vitest';
import { verifiedOrganization } from '../support/test-organization.ts';

const ours = await verifiedOrganization();
const { api } = ours;

interface Sent {
  method?: string;
  headers?: Record<string, string>;
  body?: Buffer;
}

/** Sends a request and returns the raw bytes of the answer, which `fetch` would decompress. */
async function send(path: string, { method = 'GET', headers, body }: Sent = {}) {
  const url = `${inject('baseUrl')}${path}`;
  const begin = url.startsWith('https:') ? secureRequest : request;
  const Authorization = `Bearer ${ours.token}`;
  return new Promise<{ status: number; headers: IncomingHttpHeaders; bytes: Buffer }>((resolve, reject) => {
    begin(url, { method, headers: { Authorization, ...headers } }, (response) => {
      buffer(response).then((bytes) => {
        resolve({ status: response.statusCode!, headers: response.headers, bytes });
      }, reject);
    })
      .on('error', reject)
      .end(body);
  });
}

describe('an answer of 1 KB or more', () => {
  test.each([
    ['gzip', gunzipSync],
    ['deflate', inflateSync],
  ])('is compressed where the client takes %s', async (coding, decompress) => {
    const plain = await send('/openapi');
    expect(plain.headers).not.toHaveProperty('content-encoding');
    const answer = await send('/openapi', { headers: { 'Accept-Encoding': coding } });
    expect(answer.headers).toMatchObject({ 'content-encoding': coding, 'content-type': 'application/json' });
    expect(answer.headers.etag).toMatch(/^W\//);
    expect(answer.headers.etag).toBe(plain.headers.etag);
    expect(answer.headers.vary).toContain('Accept-Encoding');
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(answer.bytes.length).toBeLessThan(plain.bytes.length / 4);
    expect(decompress(answer.bytes)).toEqual(plain.bytes);
  });

  test('is not compressed for a client that accepts none, or prefers another encoding', async () => {
    for (const accepted of ['identity', 'br, gzip', 'gzip;q=0']) {
      const answer = await send('/openapi', { headers: { 'Accept-Encoding': accepted } });
      expect(answer.headers).not.toHaveProperty('content-encoding');
      expect(JSON.parse(answer.bytes.toString())).toHaveProperty('openapi');
    }
  });
});

test('a smaller answer is not compressed, nor is an error', async () => {
  for (const [path, status] of [
    ['/v1/leads', 200],
    ['/v1/unknown', 404],
    ['/v1/leads?nonsense', 400],
  ] as const) {
    const answer = await send(path, { headers: { 'Accept-Encoding': 'gzip' } });
    expect(answer.status).toBe(status);
    expect(answer.headers).not.toHaveProperty('content-encoding');
    expect(JSON.parse(answer.bytes.toString())).toBeTypeOf('object');
  }
});

describe('a body', () => {
  // Digits, which do not compress to less than 1 KB.
  const numbers = (seed: number) => Array.from({ length: 99 }, (_, n) => (seed * n * 7919) % 9973).join();
  const socials = Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`s${at}`, numbers(at + 1)]));
  const lead = { firstName: 'Ann', socials };
  const post = (body: Buffer, coding: string) =>
    send('/v1/leads', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Content-Encoding': coding },
      body,
    });

  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
  ])('of 1 KB or more can come as %s', async (coding, compress) => {
    const bytes = compress(JSON.stringify(lead));
    expect(bytes.length).toBeGreaterThan(1024);
    const answer = await post(bytes, coding);
    expect(answer.status).toBe(201);
    expect(JSON.parse(answer.bytes.toString())).toMatchObject({ lead });
  });

  test('is measured decompressed', async () => {
    const large = { ...lead, suburb: 'x'.repeat(300 * 1024) };
    const answer = await post(gzipSync(JSON.stringify(large)), 'gzip');
    expect(answer.status).toBe(413);
    expect(JSON.parse(answer.bytes.toString())).toMatchObject({
      error: { message: 'The body must be at most 256 KB' },
    });
  });

  test('that is as large as a file when it is decompressed is 413', async () => {
    expect((await post(gzipSync(Buffer.alloc(20_000_000)), 'gzip')).status).toBe(413);
  });

  test('that is smaller, or not encoded as it says, is 415, and nothing is stored', async () => {
    const { totalCount } = await api.call('listLeads');
    expect((await post(gzipSync('{"name":"Ann"}'), 'gzip')).status).toBe(415);
    expect((await post(Buffer.from(JSON.stringify(lead)), 'gzip')).status).toBe(415);
    expect((await post(gzipSync(JSON.stringify(lead)), 'br')).status).toBe(415);
    expect((await api.call('listLeads')).totalCount).toBe(totalCount);
  });
});
