import jsonBodyParser from '@middy/http-json-body-parser';
import type { Context } from 'aws-lambda';
import { sentences } from '../contract/errors.ts';
import { parseJson } from '../contract/parse-json.ts';
import { bodyText, withoutMark, type ServedEvent } from './event.ts';
import { Failure, invalid } from '../core/failure.ts';

/** Maximum size of a body, in bytes of UTF-8. DynamoDB's limit for an item is 400 KB. */
const maxBytes = 256 * 1024;

/**
 * Content codings that API Gateway decompresses before it calls the function. API Gateway leaves the `Content-Encoding`
 * header, so the header does not tell whether the body is still compressed. A body that is too small for API Gateway
 * stays compressed, and comes as text with U+FFFD for invalid UTF-8.
 */
const decompressed = /^(?:gzip|deflate)$/i;
const plain = /^(?:identity)?$/i;

const parser = jsonBodyParser<ServedEvent>();

/** True if a body begins as gzip or zlib does. No JSON begins like that. */
const isCompressed = (body: string) => body.startsWith('\x1F') || body.startsWith('x');

/**
 * Reads a body as JSON. Refuses a body that is too large, missing, compressed, not UTF-8, of another type or
 * malformed.
 * @throws Failure `tooLarge`, `unsupported` or `invalid`
 */
export function readJson(event: ServedEvent, context: Context): unknown {
  const { body, isBase64Encoded } = event;
  const type = mediaTypeOf(event);
  refuseCompressed(event);
  if (!body) throw invalid([{ field: '', message: sentences.notAnObject }]);
  if (Buffer.byteLength(body, isBase64Encoded ? 'base64' : 'utf8') > maxBytes) {
    throw new Failure('tooLarge', sentences.tooLarge);
  }
  const text = withoutMark(bodyText(event));
  // The parser refuses white space behind the type, and a byte order mark.
  const parsed = { ...event, headers: { 'content-type': type }, body: text, isBase64Encoded: false };
  try {
    parser.before?.({ event: parsed, context, response: undefined, error: undefined, internal: {} });
    return parsed.body;
  } catch (error) {
    return parseRefused(text, error);
  }
}

/**
 * Translates the parser's refusal of a text. The parser also refuses JSON with a name such as `__proto__`, and JSON
 * that is nested too deep for the parser. Returns such JSON, because the contract refuses it and names the field.
 * @throws Failure `unsupported` for another type; `invalid` for malformed JSON
 */
function parseRefused(text: string, error: unknown): unknown {
  switch (error instanceof Error && 'statusCode' in error && error.statusCode) {
    case 415:
      throw new Failure('unsupported', sentences.unsupported);
    case 422:
      return parseJson(text);
    default:
      throw error;
  }
}

/** @throws Failure `unsupported` if the body is still compressed */
export function refuseCompressed({ body, headers }: Pick<ServedEvent, 'body' | 'headers'>): void {
  const coding = headers['content-encoding']?.trim() ?? '';
  if (!plain.test(coding) && (!decompressed.test(coding) || isCompressed(body ?? ''))) {
    throw new Failure('unsupported', sentences.encoded);
  }
}

/** Returns the media type of a body. @throws Failure `unsupported` for a charset other than UTF-8 */
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
