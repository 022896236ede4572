import { Failure, invalid, sentences } from '../endpoints/errors.ts';
import type { Middleware } from './event.ts';

/** The largest body, in bytes of UTF-8: well under DynamoDB's limit of 400 KB for an item. */
const mostBytes = 256 * 1024;

/** Refuses a body that is too large, or missing. @throws Failure `tooLarge` or `invalid` */
export function bodyLimits(): Middleware {
  return {
    before: ({ event: { body, headers, isBase64Encoded } }) => {
      // White space is allowed there (RFC 9110, section 5.6.6), and the parser does not take it.
      headers['content-type'] = headers['content-type']?.replace(/\s+;/, ';');
      if (!body) throw invalid([{ field: '', message: sentences.notAnObject }]);
      if (Buffer.byteLength(body, isBase64Encoded ? 'base64' : 'utf8') > mostBytes) {
        throw new Failure('tooLarge', sentences.tooLarge);
      }
    },
  };
}
