import { describe, expect, test } from 'vitest';
import { demoSites } from '../../infra/local/demo/channels.ts';
import { siteOf } from '../../shared/core/sites.ts';
import { formCount, formToken, sendForm, sendJson, type FormAnswer } from '../support/forms.ts';
import { verifiedOrganization } from '../support/test-organization.ts';

/** The `Accept` of a browser that sends a form. */
const Accept =
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8';
const Origin = 'https://www.example.com';
const form = { name: 'Ann', email: 'ann@example.com' };

const ours = await verifiedOrganization();
const token = await formToken(ours);

const browse = (fields: Record<string, string> = form, headers: Record<string, string> = {}) =>
  sendForm(token, fields, { headers: { Accept, Origin, ...headers } });

const header = ({ headers }: FormAnswer, name: string) => headers.get(name);

describe('a browser', () => {
  test.each([
    ['an address', 'https://www.example.com/thanks?a=b#top', 'https://www.example.com/thanks?a=b#top'],
    ['another site of the token', 'http://localhost:8080/', 'http://localhost:8080/'],
    ['a path', '/danke/schön', 'https://www.example.com/danke/sch%C3%B6n'],
  ])('is sent on to _next: %s', async (_, _next, location) => {
    const answer = await browse({ ...form, _next });
    expect([answer.status, header(answer, 'location'), answer.text]).toEqual([303, location, '']);
    expect(header(answer, 'vary')).toBe('Origin, Accept');
  });

  test.each([
    ['another site', 'https://evil.example/thanks'],
    ['another site without its scheme', '//evil.example/thanks'],
    ['a site below', 'https://x.www.example.com/'],
    ['another port', 'https://www.example.com:8443/'],
    ['another scheme', 'http://www.example.com/'],
    ['a name before the site', 'https://www.example.com@evil.example/'],
    ['a name and a password', 'https://me:secret@www.example.com/'],
    ['a script', 'javascript:alert(1)'],
    ['what is no page', 'blob:https://www.example.com/x'],
    ['no address', 'http://[/'],
    ['an address that is too long', `/${'x'.repeat(5000)}`],
  ])('is not sent on to %s, but gets a page that thanks', async (_, _next) => {
    const answer = await browse({ ...form, _next });
    expect([answer.status, header(answer, 'location')]).toEqual([201, null]);
    expect(answer.text).toContain('<h1>Thank you</h1>');
    expect(answer.text).not.toContain('evil');
  });

  test('is not sent on to a path if it hides its website', async () => {
    const answer = await browse({ ...form, _next: '/thanks' }, { Origin: 'null' });
    expect([answer.status, header(answer, 'location')]).toEqual([201, null]);
    const whole = await browse({ ...form, _next: 'http://localhost:8080/thanks' }, { Origin: 'null' });
    expect([whole.status, header(whole, 'location')]).toEqual([303, 'http://localhost:8080/thanks']);
  });

  test('gets a page that anyone can read, and that runs no script', async () => {
    const answer = await browse();
    expect(answer.status).toBe(201);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
    const policy = header(answer, 'content-security-policy')!;
    expect(policy).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/=]{44}'; base-uri 'none'; form-action 'none'$/,
    );
    expect(answer.text).toMatch(/^<!doctype html>\n<html lang="en">/);
    for (const part of ['<title>Thank you</title>', 'name="viewport"', '<main>', '<h1>Thank you</h1>'])
      expect(answer.text).toContain(part);
    expect(answer.text).toContain('<a href="https://www.example.com/">Back to www.example.com</a>');
    expect(answer.text).not.toContain(token);
    expect(answer.text).not.toContain('ann@example.com');
  });

  test('driven by a robot gets the same answer', async () => {
    const before = await formCount(ours);
    const caught = await browse({ ...form, _hp: 'x', _next: '/thanks' });
    expect([caught.status, header(caught, 'location')]).toEqual([303, `${Origin}/thanks`]);
    expect((await browse({ ...form, _hp: 'x' })).text).toBe((await browse({ ...form, _hp: 'y' })).text);
    expect(await formCount(ours)).toBe(before);
  });

  test('gets a page that names the problem, and nothing else', async () => {
    const answer = await browse({ name: '' });
    expect([answer.status, header(answer, 'content-type')]).toEqual([400, 'text/html; charset=utf-8']);
    expect(answer.text).toContain('<h1>Your message was not sent</h1>\n<p>Nothing is filled in.</p>');
    expect(answer.text).toContain(`name ${header(answer, 'x-request-id')!}.`);
    expect(answer.text).not.toContain(token);
    expect(header(answer, 'content-security-policy')).toContain("default-src 'none'");
  });

  test.each([
    ['*/*', 'application/json'],
    ['application/json, text/html', 'application/json'],
    ['TEXT/HTML ; q=0.1', 'text/html; charset=utf-8'],
  ])('is recognized by its Accept header: %s', async (accept, type) => {
    expect(header(await browse(form, { Accept: accept }), 'content-type')).toBe(type);
  });
});

describe('a website', () => {
  test('of the token may read answers, and errors, by its scripts', async () => {
    for (const fields of [form, {}]) {
      const answer = await sendJson(token, fields, { headers: { Origin } });
      expect(header(answer, 'access-control-allow-origin')).toBe(Origin);
      expect(header(answer, 'access-control-expose-headers')).toBe(
        'Retry-After, X-Request-Id, Idempotency-Replayed',
      );
      expect(header(answer, 'access-control-allow-credentials')).toBeNull();
      expect(header(answer, 'vary')).toBe('Origin, Accept');
    }
  });

  test.each([
    'https://evil.example',
    'https://www.example.com.evil.example',
    'http://www.example.com',
    'https://example.com',
    'nonsense',
    'https://www.example.com, https://evil.example',
  ])('that the token does not name is refused, and nothing is stored: %s', async (origin) => {
    const before = await formCount(ours);
    for (const accept of ['*/*', Accept]) {
      const headers = { Origin: origin, Accept: accept };
      const answer = await sendForm(token, { ...form, _next: '/thanks' }, { headers });
      expect(answer.status).toBe(403);
      // A script of the page can read the reason.
      expect(header(answer, 'access-control-allow-origin')).toBe(siteOf(origin) ?? null);
      expect(header(answer, 'location')).toBeNull();
      expect(answer.text).toContain('The key of this form is not for this website');
    }
    expect(await formCount(ours)).toBe(before);
  });

  test.each([undefined, 'null', ''])('need not be named: %s', async (origin) => {
    const before = await formCount(ours);
    const headers: Record<string, string> = origin === undefined ? {} : { Origin: origin };
    const answer = await sendForm(token, form, { headers });
    expect([answer.status, header(answer, 'access-control-allow-origin')]).toEqual([201, null]);
    expect(await formCount(ours)).toBe(before + 1);
  });

  test('is asked before a script sends JSON', async () => {
    const asked = {
      Accept,
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'content-type',
    };
    const answer = await sendForm(token, undefined, { method: 'OPTIONS', headers: { Origin, ...asked } });
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'access-control-allow-origin': Origin,
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'Content-Type, X-Requested-With, Idempotency-Key',
      'access-control-max-age': '600',
      vary: 'Origin, Accept',
    });
    // A page of another site may ask, so that it can read the 403.
    const other = { Origin: 'https://evil.example', ...asked };
    const told = await sendForm(token, undefined, { method: 'OPTIONS', headers: other });
    expect([told.status, header(told, 'access-control-allow-origin')]).toEqual([204, other.Origin]);
    const keyless = await sendForm('', undefined, { method: 'OPTIONS', headers: { Origin, ...asked } });
    expect([keyless.status, header(keyless, 'access-control-allow-origin')]).toEqual([401, '*']);
  });
});

test.each([
  ['http://localhost:5173', 201],
  ['http://localhost', 201],
  ['http://127.0.0.1:65535', 201],
  ['https://localhost:5173', 403],
  ['http://localhost.evil.example:5173', 403],
  ['http://evil.example', 403],
  ['http://[::1]:5173', 403],
])('a key for any port of localhost is good for %s: %i', async (site, status) => {
  const demo = await ours.issueToken({ scopes: ['forms:submit'], sites: demoSites });
  const answer = await sendForm(demo, { ...form, _next: '/thanks' }, { headers: { Origin: site } });
  expect([answer.status, header(answer, 'access-control-allow-origin')]).toEqual([status, site]);
  const headers = { Origin: site, Accept };
  const page = await sendForm(demo, { ...form, _next: `${site}/thanks` }, { headers });
  expect(header(page, 'location')).toBe(status === 201 ? `${site}/thanks` : null);
});
