import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { sentences } from '../../../shared/contract/errors.ts';
import { runStep } from '../run-step.ts';
import type { Setting } from './filled-in.ts';
import { pasted } from './guide.ts';

/** Sends forms by scripts of a page. */
export async function checkFetched(setting: Setting): Promise<void> {
  await runStep('The script of the guide sends the form, and reads the answer', () => runsScript(setting));
  await runStep('So does one that sends JSON, for which the browser asks first', () => takesJson(setting));
  await runStep('One of another site may not, and reads why', () => refusesOthers(setting));
}

async function runsScript({ service, key, visitor, website }: Setting): Promise<void> {
  await visitor.visits(website, pasted('html', service.baseUrl, key));
  await visitor.page.fill('[name=email]', 'fay@example.com');
  const script = pasted('js', service.baseUrl, key);
  const said = visitor.page.waitForEvent('console');
  await visitor.runs(`(async () => { ${script} })()`);
  strictEqual((await said).text(), 'Sent');
  const [submitted, ...others] = await service.submitted();
  deepStrictEqual([submitted?.lead.email, others.length], ['fay@example.com', 0]);
}

const submissions = ({ service, key }: Setting) => `${service.baseUrl}/v1/forms/submissions?key=${key}`;

/**
 * Source of a script that posts a body. The script evaluates to the answer, or to the name of the error if
 * the browser does not show the answer.
 */
const posting = (url: string, body: string, headers: Record<string, string> = {}) => `
  fetch(${JSON.stringify(url)}, { method: 'POST', headers: ${JSON.stringify(headers)}, body: ${body} }).then(
    async (answer) => ({ status: answer.status, body: await answer.json() }),
    (error) => error.name,
  )`;

const json = (body: object) => JSON.stringify(JSON.stringify(body));
const isJson = { 'Content-Type': 'application/json' };

async function takesJson(setting: Setting): Promise<void> {
  const { service, visitor, website } = setting;
  await visitor.visits(website);
  const sent = await visitor.runs(
    posting(submissions(setting), json({ name: 'Cy Fox', email: 'cy@example.com', rooms: [1, 2] }), isJson),
  );
  const { status, body } = sent as { status: number; body: { message: string } };
  strictEqual(status, 201);
  match(body.message, /./);
  const [submitted] = await service.submitted();
  strictEqual(submitted?.lead.email, 'cy@example.com');
  deepStrictEqual([submitted.fields['rooms.0'], submitted.fields['rooms.1']], ['1', '2']);

  // The site's developers want to read why a form is refused.
  const empty = (await visitor.runs(posting(submissions(setting), json({}), isJson))) as { status: number };
  strictEqual(empty.status, 400);
}

async function refusesOthers(setting: Setting): Promise<void> {
  const { service, visitor, other } = setting;
  await visitor.visits(other);
  const body = { name: 'Mallory', email: 'mallory@example.com' };
  // The first makes the browser ask by `OPTIONS`, the second does not.
  const asking = posting(submissions(setting), json(body), isJson);
  const atOnce = posting(submissions(setting), `new URLSearchParams(${JSON.stringify(body)})`);
  for (const script of [asking, atOnce]) {
    const said = (await visitor.runs(script)) as { status: number; body: { error: { message: string } } };
    deepStrictEqual([said.status, said.body.error.message], [403, sentences.otherSite]);
  }
  deepStrictEqual(await service.submitted(), []);
}
