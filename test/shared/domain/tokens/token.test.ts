import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  hashToken,
  isToken,
  newToken,
  tokenModes,
  tokenPattern,
} from '../../../../shared/domain/tokens/token.ts';

test.each(tokenModes)('a %s token is recognized by its form and its checksum', (mode) => {
  const token = newToken(mode, randomBytes);
  expect(token).toMatch(new RegExp(`^sk_${mode}_[0-9A-Za-z]{36}$`));
  expect(token).toMatch(new RegExp(`^${tokenPattern}$`));
  expect(isToken(token)).toBe(true);
});

test('a token with one changed character is invalid', () => {
  const token = newToken('live', randomBytes);
  for (let at = 0; at < token.length; at++) {
    const other = token[at] === 'x' ? 'y' : 'x';
    expect(isToken(token.slice(0, at) + other + token.slice(at + 1)), `at ${at}`).toBe(false);
  }
  expect(isToken(`${token} `)).toBe(false);
});

test('every character is equally likely: bytes beyond the last whole 62 are dropped', () => {
  const bytes = [...Array(256).keys()];
  const token = newToken('test', (size) => Uint8Array.from({ length: size }, () => bytes.pop() ?? 0));
  // 255 to 248 are dropped; 247 is the last of the fourth 62.
  expect(token.slice('sk_test_'.length, 'sk_test_'.length + 3)).toBe('zyx');
});

test('the hash does not contain the token', () => {
  const token = newToken('live', randomBytes);
  expect(hashToken(token)).toMatch(/^[0-9a-f]{64}$/);
  expect(hashToken(token)).not.toBe(hashToken(newToken('live', randomBytes)));
});
