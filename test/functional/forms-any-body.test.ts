import { describe, expect, test } from 'vitest';
import { storable } from '../../shared/core/readable.ts';
import { seededRandom } from '../../infra/local/demo/seeded-random.ts';
import { formCount, formToken, newestForm, sendForm, type FormAnswer } from '../support/forms.ts';
import { verifiedOrganization } from '../support/test-organization.ts';

const ours = await verifiedOrganization();

const token = await formToken(ours);

const urlencoded = 'application/x-www-form-urlencoded';
const names = [
  'name',
  'E-mail',
  'phone',
  'Message',
  '__proto__',
  'constructor',
  '',
  'a.b',
  'ä🦊',
  '\u0000',
  'x'.repeat(300),
];
const values = [
  'Ann Lee',
  'ann@example.com',
  'ann at example',
  '0491 570 156',
  '12',
  ' ',
  'line\nline',
  '\u0000\u0007',
  '\uFFFD',
  '<script>alert(1)</script>',
  '🦊'.repeat(500),
  'ﷺ'.repeat(2000),
  '{"a":{"b":"c"}}',
  '__proto__',
];

/** A generated form: the values that are typed, and its encoding. */
interface Generated {
  typed: string[];
  send: () => Promise<FormAnswer>;
}

/** Forms of all kinds, the same for each seed. */
function generated(seed: number): Generated {
  const { random } = seededRandom(seed);
  const oneOf = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
  const pairs = Array.from(
    { length: 1 + Math.floor(random() * 12) },
    () => [oneOf(names), oneOf(values)] as const,
  );
  const typed = pairs.map(([, value]) => storable(value)).filter((value) => value.trim() !== '');
  const kind = oneOf(['urlencoded', 'multipart', 'JSON', 'nested JSON'] as const);
  switch (kind) {
    case 'urlencoded': {
      const body = new URLSearchParams(
        pairs.map(([name, value]): [string, string] => [name, value]),
      ).toString();
      return { typed, send: () => sendForm(token, body, { type: urlencoded }) };
    }
    case 'multipart': {
      const body = new FormData();
      for (const [name, value] of pairs) body.append(name, value);
      // This encoding sends a line break as two characters.
      return { typed: typed.filter((value) => !value.includes('\n')), send: () => sendForm(token, body) };
    }
    case 'JSON':
    case 'nested JSON': {
      const nested = pairs.map(([name, value]) => `{${JSON.stringify(name)}:[${JSON.stringify(value)}]}`);
      const flat = Object.fromEntries(pairs.map(([, value], at) => [`f${at}`, `${value}\ud800`]));
      const text = kind === 'JSON' ? JSON.stringify(flat) : `[${nested.join()}]`;
      const kept = kind === 'JSON' ? Object.values(flat).map(storable) : typed;
      return { typed: kept, send: () => sendForm(token, text, { type: 'application/json' }) };
    }
  }
}

test.each(Array.from({ length: 12 }, (_, at) => at + 1))(
  'a generated form is stored, and has all that was typed: %i',
  async (seed) => {
    const { typed, send } = generated(seed);
    const answer = await send();
    expect(answer.status, answer.text).toBe(typed.length === 0 ? 400 : 201);
    if (typed.length === 0) return;
    const { lead, fields } = await newestForm(ours);
    const kept = Object.values(fields).join('\n');
    const had = [
      `${lead.firstName} ${lead.lastName}`,
      lead.email,
      lead.phone.replace('+61491570156', '0491 570 156'),
    ];
    for (const text of typed) if (!had.includes(text)) expect(kept).toContain(text);
    expect(Buffer.byteLength(JSON.stringify(Object.entries(fields).flat()))).toBeLessThan(6 * 32 * 1024);
  },
);

describe('a hostile body', () => {
  const megabytes = (text: string, times = 1_500_000) => text.repeat(Math.floor(times / text.length));
  const part = (head: string, content: string) =>
    `--x\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`;

  test.each([
    ['JSON that is deep', '['.repeat(200_000) + ']'.repeat(200_000), 'application/json'],
    [
      'JSON that is deep and says something',
      `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
      'application/json',
    ],
    ['JSON of small numbers', `[${megabytes('7,')}7]`, 'application/json'],
    ['JSON with a large name', `{"${megabytes('n')}":["a","b"]}`, 'application/json'],
    [
      'JSON with names of prototypes',
      '{"__proto__":{"name":"x"},"constructor":{"prototype":1}}',
      'application/json',
    ],
    ['a large text of control characters', `note=${megabytes('%01', 5_700_000)}`, urlencoded],
    ['many small fields', megabytes('a=1&'), urlencoded],
    ['many names', Array.from({ length: 100_000 }, (_, at) => `n${at}=v`).join('&'), urlencoded],
    ['separators alone', megabytes('&'), urlencoded],
    ['broken percent signs', megabytes('%', 100_000), urlencoded],
    [
      'a large file, whose event would be too large as text',
      `${part('name="photo"; filename="a.jpg"', megabytes('\u0001\uFFFDabc', 3_000_000))}${part('name="name"', 'Pia')}--x--`,
      'multipart/form-data; boundary=x',
    ],
    [
      'a file that is cut off',
      part('name="f"; filename="a"', 'abc').slice(0, -4),
      'multipart/form-data; boundary=x',
    ],
  ])('is stored or refused: %s', async (_, body, type) => {
    const before = await formCount(ours);
    const answer = await sendForm(token, body, { type });
    expect([201, 400], answer.text).toContain(answer.status);
    expect(await formCount(ours)).toBe(before + (answer.status === 201 ? 1 : 0));
    if (answer.status !== 201) return;
    const { fields } = await newestForm(ours);
    const size = Object.entries(fields).reduce((sum, pair) => sum + Buffer.byteLength(pair.join('')), 0);
    expect(size).toBeLessThanOrEqual(300 * 1024);
    expect(Object.keys(fields).length).toBeLessThanOrEqual(200);
  });
});
