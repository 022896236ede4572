import { sentences } from '../../contract/errors.ts';
import { parseJson } from '../../contract/parse-json.ts';
import { FormQuery } from '../../contract/forms.ts';
import { maxRead, sentField, type SentField, type SentFields } from '../../contract/sent-form.ts';
import { Failure, invalid } from '../../core/failure.ts';
import { fieldsInJson } from '../../domain/forms/flatten-json.ts';
import { refuseCompressed } from '../json-body.ts';
import { bodyText, withoutMark, type ServedEvent } from '../event.ts';

/**
 * Reads the fields of a form from a request: urlencoded, multipart or JSON. Other text is read as JSON if it
 * begins as JSON does.
 * @throws Failure `unsupported` for another media type; `invalid` for a malformed body
 */
export async function readForm(
  event: Pick<ServedEvent, 'headers' | 'body' | 'isBase64Encoded'>,
): Promise<SentFields> {
  refuseCompressed(event);
  const { headers } = event;
  const text = bodyText(event);
  const contentType = headers['content-type'] ?? '';
  const type = contentType.replace(/;.*/s, '').trim().toLowerCase();
  if (text.trim() === '') return { fields: [], unread: 0 };
  // Tools send this type by default, whatever the body is.
  if (type === urlencoded) return (isJson(text) ? fieldsIn(text) : undefined) ?? readUrlencoded(text);
  if (type === 'multipart/form-data') return readMultipart(text, contentType);
  if (/^application\/(?:.+\+)?json$/.test(type) || isUntypedJson(type, text)) return readJson(text);
  throw new Failure('unsupported', sentences.unsupportedForm);
}

const urlencoded = 'application/x-www-form-urlencoded';

const isUntypedJson = (type: string, text: string) => (type === '' || type === 'text/plain') && isJson(text);

/** True if a string begins as a JSON object or array does. */
const isJson = (text: string) => /^\uFEFF?\s*[[{]/.test(text);

const fieldsIn = (text: string) => fieldsInJson(withoutMark(text));

function readJson(text: string): SentFields {
  const fields = fieldsIn(text);
  if (fields) return fields;
  // Throws for malformed JSON, and says where.
  parseJson(withoutMark(text));
  throw invalid([{ field: '', message: sentences.notAnObject }]);
}

function readUrlencoded(text: string): SentFields {
  const pairs = text.split('&', maxRead);
  const last = pairs.reduce((length, pair) => length + pair.length + 1, 0);
  const unread = last > text.length ? 0 : text.slice(last).split('&').length;
  const fields = [...new URLSearchParams(pairs.join('&'))].map(fieldOf);
  return { fields: fields.filter(isFilled), unread };
}

/**
 * Returns the fields in the query, such as fields that campaigns and services add. Leaves out the parameters that say
 * how to read the form.
 */
export function fieldsInQuery({
  multiValueQueryStringParameters,
}: Pick<ServedEvent, 'multiValueQueryStringParameters'>): SentField[] {
  const given = Object.entries(multiValueQueryStringParameters ?? {});
  return given
    .filter(([name]) => name !== 'key' && !Object.hasOwn(FormQuery.entries, name))
    .flatMap(([name, values = []]) => values.map((value) => fieldOf([name, value])))
    .filter(isFilled);
}

/** Reads a multipart body by Node.js's own parser, which is loaded at the first such request. */
async function readMultipart(text: string, contentType: string): Promise<SentFields> {
  // Node.js advises against this parser for bodies of any size. API Gateway limits the size.
  const response: { formData: () => Promise<FormData> } = new Response(text, {
    headers: { 'content-type': contentType },
  });
  const data = await response.formData().catch(() => undefined);
  if (!data) throw invalid([{ field: '', message: sentences.notAForm }]);
  const fields = [...data].map(([name, value]) =>
    typeof value === 'string' ? fieldOf([name, value]) : fileField(name, value),
  );
  const filled = fields.filter(isFilled);
  return { fields: filled.slice(0, maxRead), unread: Math.max(0, filled.length - maxRead) };
}

/** Restores the original line breaks: browsers send each as two characters. */
const fieldOf = ([name, value]: readonly [string, string]): SentField =>
  sentField(name, value.replaceAll('\r\n', '\n'));

/** A file, which is not kept. A file input without a file sends a file that has neither name nor content. */
const fileField = (name: string, { name: file, size }: File): SentField => ({
  ...sentField(name, file === '' && size === 0 ? '' : `${file} (a file, not kept)`.trim()),
  isFile: true,
});

const isFilled = ({ value }: SentField) => value.trim() !== '';
