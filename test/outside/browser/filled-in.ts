import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { runStep } from '../run-step.ts';
import { pasted } from './guide.ts';
import type { Service, Submitted } from './service.ts';
import type { Visitor } from './visitor.ts';
import { thanksPath, type Website } from './website.ts';

/** Service, key, browser and sites of a check. */
export interface Setting {
  service: Service;
  key: string;
  visitor: Visitor;
  /** Site that the key is for. */
  website: Website;
  /** Site that the key is not for. */
  other: Website;
}

/** Adds inputs to a form. */
const withMore = (form: string, more: string) => form.replace('</form>', `${more}</form>`);

/** Adds the address of the page to show after the form. */
const goingOn = (form: string, address: string) =>
  withMore(form, `<input type="hidden" name="_next" value="${address}">`);

/** Fills in the guide's form and sends it, as a person does. */
export async function checkFilledIn(setting: Setting): Promise<void> {
  const form = pasted('html', setting.service.baseUrl, setting.key);
  await runStep('The form makes a lead, and the page thanks', () => makesLead(setting, form));
  await runStep('So it does as multipart, and a file is named', () => takesMultipart(setting, form));
  await runStep('The browser goes on to a page of the site, and to no other', () => goesOn(setting, form));
  await runStep('What a robot fills in looks like a success, and is stored as nothing', () =>
    fools(setting, form),
  );
  await runStep('From another site nothing is stored, and the browser goes nowhere', () =>
    refuses(setting, form),
  );
}

async function makesLead({ service, visitor, website }: Setting, form: string): Promise<void> {
  await visitor.visits(website, form);
  const message = 'No\nhot water ♨️';
  const typed = { name: 'Zoë Baker', email: 'Zoe@example.com', phone: '0491 570 156', message };
  const answer = await visitor.sends(typed);
  strictEqual(answer.status(), 201);
  match(await visitor.reads(), /thank/i);
  strictEqual(answer.request().headers()['content-type'], 'application/x-www-form-urlencoded');

  const { lead, inquiry, fields } = await onlyOne(service);
  const { firstName, lastName, email, phone } = lead;
  deepStrictEqual(
    { firstName, lastName, email: email.toLowerCase(), phone },
    { firstName: 'Zoë', lastName: 'Baker', email: 'zoe@example.com', phone: '+61491570156' },
  );
  strictEqual(lines(inquiry.summary), message);
  strictEqual(lines(fields['message']), message);
}

async function takesMultipart({ service, visitor, website }: Setting, form: string): Promise<void> {
  const files = '<input type="file" name="photo"><input type="file" name="plan">';
  await visitor.visits(
    website,
    withMore(form, files).replace(/<form(?=\s)/, '<form enctype="multipart/form-data"'),
  );
  const photo = { name: 'IMG 1.jpg', mimeType: 'image/jpeg', buffer: Buffer.from([0xff, 0xd8, 0, 10]) };
  await visitor.page.setInputFiles('[name=photo]', photo);
  const answer = await visitor.sends({ name: 'Ann Lee', email: 'ann@example.com', message: 'It “drips”' });
  strictEqual(answer.status(), 201);
  match(answer.request().headers()['content-type'] ?? '', /^multipart\/form-data; boundary=/);

  const { lead, inquiry, fields } = await onlyOne(service);
  strictEqual(lead.email, 'ann@example.com');
  strictEqual(inquiry.summary, 'It “drips”');
  match(fields['photo'] ?? '', /IMG 1\.jpg/);
  strictEqual(fields['plan'], undefined);
}

async function goesOn({ service, visitor, website, other }: Setting, form: string): Promise<void> {
  const typed = { name: 'Bea', email: 'bea@example.com' };
  for (const next of [`${website.origin}${thanksPath}`, thanksPath]) {
    await visitor.visits(website, goingOn(form, next));
    strictEqual((await visitor.sends(typed)).status(), 303);
    strictEqual(visitor.page.url(), `${website.origin}${thanksPath}`);
  }
  await visitor.visits(website, goingOn(form, `${other.origin}${thanksPath}`));
  strictEqual((await visitor.sends(typed)).status(), 201);
  match(await visitor.reads(), /thank/i);

  const submitted = await service.submitted();
  strictEqual(submitted.length, 3);
  deepStrictEqual(new Set(submitted.map(({ lead }) => lead.id)).size, 1);
}

async function fools({ service, visitor, website }: Setting, form: string): Promise<void> {
  await visitor.visits(website, goingOn(form, thanksPath));
  // People do not see this input.
  strictEqual(await visitor.page.isVisible('[name=_hp]'), false);
  await visitor.runs(`document.querySelector('[name=_hp]').value = 'x'`);
  strictEqual((await visitor.sends({ name: 'Robot', email: 'robot@example.com' })).status(), 303);
  strictEqual(visitor.page.url(), `${website.origin}${thanksPath}`);
  deepStrictEqual(await service.submitted(), []);
}

async function refuses({ service, key, visitor, other }: Setting, form: string): Promise<void> {
  await visitor.visits(other, goingOn(form, `${other.origin}${thanksPath}`));
  const answer = await visitor.sends({ name: 'Mallory', email: 'mallory@example.com' });
  strictEqual(answer.status(), 403);
  match((await answer.headerValue('content-type')) ?? '', /^text\/html/);
  strictEqual(new URL(visitor.page.url()).origin, service.baseUrl);
  strictEqual((await visitor.page.content()).includes(key), false);
  deepStrictEqual(await service.submitted(), []);
}

/** Returns the one new submission. @throws Error if there is not exactly one */
async function onlyOne(service: Service): Promise<Submitted> {
  const [submitted, ...others] = await service.submitted();
  if (!submitted || others.length > 0)
    throw new Error(`Not one submission was stored, but ${others.length + 1}`);
  return submitted;
}

/** Replaces the line ends that browsers send by line feeds. */
const lines = (text = '') => text.replaceAll('\r\n', '\n');
