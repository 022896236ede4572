import { sentences } from '../contract/errors.ts';
import type { Middleware, ServedEvent } from './event.ts';
import { Failure, invalid } from '../core/failure.ts';

/** The largest body, in bytes of UTF-8: well under DynamoDB's limit of 400 KB for an item. */
const maxBytes = 256 * 1024;

/**
 * Refuses a body that is too large, missing, compressed, or not in UTF-8, and makes of another what the parser takes.
 * @throws Failure `tooLarge`, `unsupported` or `invalid`
 */
export function bodyLimits(): Middleware {
  return {
    before: ({ event }) => {
      const { body, headers, isBase64Encoded } = event;
      readContentType(event);
      // Nobody would decode it: API Gateway passes the bytes on.
      if (!/^(?:identity)?$/i.test(headers['content-encoding']?.trim() ?? '')) {
        throw new Failure('unsupported', sentences.encoded);
      }
      if (!body) throw invalid([{ field: '', message: sentences.notAnObject }]);
      if (Buffer.byteLength(body, isBase64Encoded ? 'base64' : 'utf8') > maxBytes) {
        throw new Failure('tooLarge', sentences.tooLarge);
      }
      const text = isBase64Encoded ? Buffer.from(body, 'base64').toString() : body;
      // A byte order mark: some programs write one before everything.
      event.body = text.replace(/^\uFEFF/, '');
      event.isBase64Encoded = false;
    },
  };
}

/** Leaves the type alone in the header: white space may stand around it (RFC 9110, section 5.6.6), which the parser refuses. */
function readContentType({ headers }: ServedEvent): void {
  const [type, ...parameters] = (headers['content-type'] ?? '').split(';').map((part) => part.trim());
  for (const parameter of parameters) {
    const [name, value] = parameter.toLowerCase().split('=');
    if (name === 'charset' && !/^"?utf-?8"?$/.test(value ?? '')) {
      throw new Failure('unsupported', sentences.otherCharset);
    }
  }
  headers['content-type'] = type;
}
