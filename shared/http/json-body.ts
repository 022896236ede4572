import { sentences } from '../contract/errors.ts';
import { parseJson } from '../contract/parse-json.ts';
import type { Middleware, ServedEvent } from './event.ts';
import { Failure, invalid } from '../core/failure.ts';

/** The largest body, in bytes of UTF-8: well under DynamoDB's limit of 400 KB for an item. */
const maxBytes = 256 * 1024;

/**
 * What API Gateway decompresses before a function sees it. It leaves the header, and the function cannot tell; a body
 * that is too small for it, it leaves compressed, but as text: with U+FFFD for what is none.
 */
const decompressed = /^(?:gzip|deflate)$/i;
const plain = /^(?:identity)?$/i;

/** How a gzip or zlib stream begins, and no JSON does. */
const isCompressed = (body: string) => body.startsWith('\x1F') || body.startsWith('x');

/** Media types of JSON, such as `application/cloudevents+json`. */
const json = /^application\/(?:[a-z0-9.+-]+\+)?json$/i;

/**
 * Reads a body as JSON. Refuses one that is too large, missing, compressed or not UTF-8, of another type, or no JSON.
 * @throws Failure `tooLarge`, `unsupported` or `invalid`
 */
export function jsonBody(): Middleware {
  return {
    before: ({ event }) => {
      const { body, isBase64Encoded } = event;
      const type = mediaTypeOf(event);
      refuseCompressed(event);
      if (!body) throw invalid([{ field: '', message: sentences.notAnObject }]);
      if (Buffer.byteLength(body, isBase64Encoded ? 'base64' : 'utf8') > maxBytes) {
        throw new Failure('tooLarge', sentences.tooLarge);
      }
      const text = isBase64Encoded ? Buffer.from(body, 'base64').toString() : body;
      if (!json.test(type)) throw new Failure('unsupported', sentences.unsupported);
      // Some clients begin with a byte order mark.
      event.json = parseJson(text.replace(/^\uFEFF/, ''));
    },
  };
}

/** @throws Failure `unsupported` for a body that is still compressed */
export function refuseCompressed({ body, headers }: Pick<ServedEvent, 'body' | 'headers'>): void {
  const coding = headers['content-encoding']?.trim() ?? '';
  if (!plain.test(coding) && (!decompressed.test(coding) || isCompressed(body ?? ''))) {
    throw new Failure('unsupported', sentences.encoded);
  }
}

/** The media type of a body. @throws Failure `unsupported` for a charset that is not UTF-8 */
function mediaTypeOf({ headers }: ServedEvent): string {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').split(';').map((part) => part.trim());
  for (const parameter of parameters) {
    const [name, value] = parameter.toLowerCase().split('=');
    if (name === 'charset' && !/^"?utf-?8"?$/.test(value ?? '')) {
      throw new Failure('unsupported', sentences.otherCharset);
    }
  }
  return type;
}
