import * as v from 'valibot';
import { expect, test } from 'vitest';
import { noOtherScheme, webLinkOrEmpty } from '../../../shared/contract/link.ts';

const takes = (rule: typeof noOtherScheme | typeof webLinkOrEmpty, text: string) =>
  v.is(v.pipe(v.string(), rule), text);

test.each(['https://a.example', 'HTTP://a.example/?q=a:b', ''])('%j is a link, or none', (text) => {
  expect([takes(noOtherScheme, text), takes(webLinkOrEmpty, text)]).toEqual([true, true]);
});

test.each([
  ...['@joe', 'Joe & Co: plumbers', 'facebook.com/joe', '//a.example', 'a.example:8080', 'a.example:80/x'],
  ...['localhost:3000', '?next=javascript:x', 'a.example/javascript:x'],
])('%j has no scheme', (text) => {
  expect([takes(noOtherScheme, text), takes(webLinkOrEmpty, text)]).toEqual([true, false]);
});

test.each([
  ...[
    'javascript:alert(1)',
    ' javascript:alert(1)',
    'JAVASCRIPT:alert(1)',
    'java\tscript:alert(1)',
    '\n data:,x',
  ],
  ...[
    'mailto:a@a.example',
    'tel:+61491570156',
    'tel:000',
    'ftp://a.example',
    'https:a.example',
    'vbscript:x.y:1',
  ],
])('%j has another scheme', (text) => {
  expect([takes(noOtherScheme, text), takes(webLinkOrEmpty, text)]).toEqual([false, false]);
});
