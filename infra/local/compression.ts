import { promisify } from 'node:util';
import { deflate, gunzip, gzip, inflate, type InputType } from 'node:zlib';

const compressors = {
  gzip: promisify<InputType, Buffer>(gzip),
  deflate: promisify<InputType, Buffer>(deflate),
};

/** How a body is compressed on the wire. */
export type Coding = keyof typeof compressors;

const isCoding = (coding: string): coding is Coding => Object.hasOwn(compressors, coding);

const decompressors = new Map([
  ['gzip', gunzip],
  ['deflate', inflate],
]);

/** The values of a header, as one: it can be given more than once. */
export const headerOf = (headers: readonly [name: string, value: string][], name: string) =>
  headers
    .filter(([given]) => given.toLowerCase() === name)
    .map(([, value]) => value.trim())
    .join(', ');

/** The media type of a body, without parameters and in lower case; empty where there is none. */
export function mediaTypeOf(headers: readonly [name: string, value: string][]): string {
  const [type = ''] = headerOf(headers, 'content-type').split(';');
  return type.trim().toLowerCase();
}

/**
 * The coding in which API Gateway answers, or undefined for none: it looks at the one that the client likes best, and
 * at the first of equals, and at no other.
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
 * The coding of what an integration answered: none if that is too small, or encoded already.
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

/** The bytes of a body in a coding. */
export const encode = async (body: string, coding: Coding | undefined): Promise<Buffer> =>
  coding ? compressors[coding](body) : Buffer.from(body);

/**
 * A request's body as the function gets it. `Content-Encoding` stays as it was:
 * https://github.com/dougmoscrop/serverless-http/issues/194. A body below the minimum is passed on as it came, since
 * to such "compression or decompression is not applied"
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-enable-compression.html).
 *
 * Answers `unsupported` for a coding that API Gateway does not know, or a body that is not in it
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-make-request-with-compressed-payload.html),
 * and `tooLarge` for more than `maxBytes`, of which no more is decompressed.
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
