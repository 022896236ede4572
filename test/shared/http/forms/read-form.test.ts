import { describe, expect, test } from 'vitest';
import { sentences } from '../../../../shared/contract/errors.ts';
import { maxRead } from '../../../../shared/contract/sent-form.ts';
import { readForm } from '../../../../shared/http/forms/read-form.ts';

const urlencoded = 'application/x-www-form-urlencoded';

/** Reads a body into pairs of name and value. */
async function pairsOf(body: string | Buffer, type?: string): Promise<string[][]> {
  const headers = type === undefined ? {} : { 'content-type': type };
  const isBase64Encoded = typeof body !== 'string';
  const text = isBase64Encoded ? body.toString('base64') : body;
  const { fields } = await readForm({ headers, body: text, isBase64Encoded });
  return fields.map(({ name, value, isFile }) => [name, value, ...(isFile ? ['file'] : [])]);
}

/** Builds a multipart body of these parts. */
const multipart = (...parts: [head: string, content: string][]) =>
  [
    ...parts.map(([head, content]) => `--x\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}`),
    '--x--',
  ].join('\r\n');

describe('a body is read', () => {
  test('urlencoded', async () => {
    expect(await pairsOf('a=1%0D%0A2%0A3&b=+&a=2%26&=x&c&d=%F0%9F%A6%8A+%ff', urlencoded)).toEqual([
      ['a', '1\n2\n3'],
      ['a', '2&'],
      ['', 'x'],
      ['d', '🦊 \uFFFD'],
    ]);
  });

  test('multipart, with only the names of files', async () => {
    const body = multipart(
      ['name="name"', 'Zoë\r\nLee'],
      ['name="photo"; filename="a.jpg"\r\nContent-Type: image/jpeg', '\u0000\uFFFD'],
      ['name="none"; filename=""\r\nContent-Type: application/octet-stream', ''],
      ['name="nameless"; filename=""', 'content'],
      ['name="blank"', ' '],
    );
    const expected = [
      ['name', 'Zoë\nLee'],
      ['photo', 'a.jpg (a file, not kept)', 'file'],
      ['nameless', '(a file, not kept)', 'file'],
    ];
    expect(await pairsOf(body, 'multipart/form-data; boundary=x')).toEqual(expected);
    expect(await pairsOf(Buffer.from(body), 'Multipart/Form-Data; boundary="x"')).toEqual(expected);
  });

  test('urlencoded, if it only begins as JSON does', async () => {
    expect(await pairsOf('{a=1&[b=2', urlencoded)).toEqual([
      ['{a', '1'],
      ['[b', '2'],
    ]);
  });

  test.each([
    'application/json',
    'APPLICATION/JSON ; charset=utf-8',
    'application/ld+json',
    'text/plain',
    urlencoded,
    undefined,
  ])('JSON, of the type %s', async (type) => {
    expect(await pairsOf('\uFEFF {"a":[1]}', type)).toEqual([['a.0', '1']]);
  });

  test('up to the maximum of fields, and the others are counted', async () => {
    const many = Array.from({ length: maxRead + 3 }, (_, at) => `a${at}=1`).join('&');
    const read = await readForm({
      headers: { 'content-type': urlencoded },
      body: many,
      isBase64Encoded: false,
    });
    expect([read.fields.length, read.fields.at(-1)?.name, read.unread]).toEqual([
      maxRead,
      `a${maxRead - 1}`,
      3,
    ]);
  });
});

describe('a body is refused', () => {
  test.each([
    ['of no type', undefined, 'a=1', sentences.unsupportedForm],
    ['of a type that begins alike', 'application/jsonp', '{}', sentences.unsupportedForm],
    [
      'that is cut off',
      'multipart/form-data; boundary=x',
      multipart(['name="a"', 'b']).slice(0, -6),
      sentences.notAForm,
    ],
  ])('%s', async (_, type, body, message) => {
    await expect(pairsOf(body, type)).rejects.toThrow(message);
  });

  test('that is still compressed', async () => {
    const headers = { 'content-type': urlencoded, 'content-encoding': 'br' };
    await expect(readForm({ headers, body: 'a=1', isBase64Encoded: false })).rejects.toThrow(
      sentences.encoded,
    );
  });
});
