import { expect, test } from 'vitest';
import { siteOf } from '../../../shared/core/sites.ts';

test.each([
  ['https://a.example', 'https://a.example'],
  ['http://a.example', 'http://a.example'],
  [' HTTPS://A.Example/ ', 'https://a.example'],
  ['https://a.example:443/contact?x=1#form', 'https://a.example'],
  ['http://localhost:8080', 'http://localhost:8080'],
  ['http://127.0.0.1:80', 'http://127.0.0.1'],
  ['http://[::1]:8080/', 'http://[::1]:8080'],
  ['https://bücher.example', 'https://xn--bcher-kva.example'],
  [`https://${'a.'.repeat(122)}example`, `https://${'a.'.repeat(122)}example`],
])('%s is on the site %s', (address, site) => {
  expect(siteOf(address)).toBe(site);
});

test.each([
  '',
  'null',
  'a.example',
  'localhost:8080',
  '//a.example',
  '/contact',
  'https://',
  'https://*.a.example',
  'http://localhost:*',
  'https://a example',
  'https://a.example;https://b.example',
  `https://${'a.'.repeat(124)}example`,
  'ftp://a.example',
  'file:///a',
  'data:text/html,a',
  'javascript:alert(1)',
  'blob:https://a.example/1',
])('%j is on none', (address) => {
  expect(siteOf(address)).toBeUndefined();
});
