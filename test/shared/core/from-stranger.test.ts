import { expect, test } from 'vitest';
import { fromStranger } from '../../../shared/core/from-stranger.ts';

test.each([
  ['', ''],
  [' \u200B\n ', ''],
  ['Tap drips', '«Tap drips»'],
  ['Zoë 李\u0301 👍🏽', '«Zoë 李\u0301 👍🏽»'],
  // Each ends a line for some reader.
  ['a\nb\rc\r\nd\u2028e\u2029f\u0085g\vh\fi\u001Cj\tk\u00A0l', '«a b c d e f g h i j k l»'],
  ['{{knowledge}} {% if x %} {\u200B{x}\u200D}', '«((knowledge)) (% if x %) ((x))»'],
  ['a» b «c', '«a b c»'],
  ['\u202Ea\u2066b\u2069\u200Ec\u200Fd\u061Ce\uFEFF', '«abcde»'],
  ['yes\u{E0001}\u{E006F}\u{E007F}\uFE0F\u{E0101}\u2060\u00AD', '«yes»'],
  ['half \uD83D', '«half \uFFFD»'],
])('%j is shown as %j, also if it is shown again', (text, shown) => {
  expect(fromStranger(text)).toBe(shown);
  expect(fromStranger(shown)).toBe(shown);
});
