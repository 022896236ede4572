import { promisify } from 'node:util';
import { deflate, gunzip, gzip, inflate, type InputType } from 'node:zlib';

const compressors = {
  gzip: promisify<InputType, Buffer>(gzip),
  deflate: promisify<InputType, Buffer>(deflate),
};

/** Compression of a body on the wire. */
export type Coding = keyof typeof compressors;

const isCoding = (coding: string): coding is Coding => Object.hasOwn(compressors, coding);

const decompressors = new Map([
  ['gzip', gunzip],
  ['deflate', inflate],
]);

/** Joins the values of a header, which may occur more than once. */
export const headerOf = (headers: readonly [name: string, value: string][], name: string) =>
  headers
    .filter(([given]) => given.toLowerCase() === name)
    .map(([, value]) => value.trim())
    .join(', ');

/** Media type of a body in lower case, without parameters. Empty if there is none. */
export function mediaTypeOf(headers: readonly [name: string, value: string][]): string {
  const [type = ''] = headerOf(headers, 'content-type').split(';');
  return type.trim().toLowerCase();
}

/**
 * Chooses the coding of API Gateway's response; undefined for none. API Gateway considers only the coding
 * that the client prefers most, the first among equals.
 *
 * - https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-enable-compression.html
 * - https://github.com/awsdocs/amazon-api-gateway-developer-guide/pull/32 (so `br, gzip` gets no compression)
 */
export function preferredCoding(acceptEncoding: string): Coding | undefined {
  const items = acceptEncoding.split(',').map((item) => {
    const [, coding = '', quality = '1'] =
      /^\s*([\w*!#$%&'+.^`|~-]+)\s*(?:;\s*q=([01](?:\.\d{0,3})?))?\s*$/i.exec(item) ?? [];
    return { coding: coding.toLowerCase(), quality: Number(quality) };
  });
  const [best] = items.toSorted((a, b) => b.quality - a.quality);
  return best && best.quality > 0 && isCoding(best.coding) ? best.coding : undefined;
}

/**
 * Chooses the coding of an integration's response. Undefined if the body is too small or already encoded.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-receive-response-with-compressed-payload.html
 */
export function answerCoding(
  { headers, body }: { headers: Record<string, string>; body: string },
  acceptEncoding: string,
  minimumSize = Infinity,
): Coding | undefined {
  const isEncoded = Object.keys(headers).some((name) => name.toLowerCase() === 'content-encoding');
  return isEncoded || Buffer.byteLength(body) < minimumSize ? undefined : preferredCoding(acceptEncoding);
}

export const encode = async (body: string, coding: Coding | undefined): Promise<Buffer> =>
  coding ? compressors[coding](body) : Buffer.from(body);

/**
 * Decompresses a request's body for the function. `Content-Encoding` is unchanged:
 * https://github.com/dougmoscrop/serverless-http/issues/194. A body below the minimum size is not decompressed, because
 * "compression or decompression is not applied" to it
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-enable-compression.html).
 *
 * Returns `unsupported` for a coding that API Gateway does not know, or a body that is not in its coding
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-make-request-with-compressed-payload.html).
 * Returns `tooLarge` for more than `maxBytes`, and decompresses no further.
 */
export async function decompressed(
  body: Buffer,
  contentEncoding: string,
  { minimumSize = 0, maxBytes }: { minimumSize: number | undefined; maxBytes: number },
): Promise<Buffer | 'unsupported' | 'tooLarge'> {
  const coding = contentEncoding.toLowerCase();
  if (coding === '' || coding === 'identity' || body.length < minimumSize) return body;
  const decompress = decompressors.get(coding);
  if (!decompress) return 'unsupported';
  return new Promise((resolve) => {
    decompress(body, { maxOutputLength: maxBytes }, (error, output) => {
      if (!error) resolve(output);
      else resolve('code' in error && error.code === 'ERR_BUFFER_TOO_LARGE' ? 'tooLarge' : 'unsupported');
    });
  });
}
