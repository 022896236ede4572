import { expect, test } from 'vitest';
import type { HttpRequest } from '../../../../infra/local/gateway/http-message.ts';
import {
  answerLocally,
  type IncomingSms,
  isLocalRequest,
} from '../../../../infra/local/messaging/local-requests.ts';

const request = (body: string, changes: Partial<HttpRequest> = {}): HttpRequest => ({
  method: 'POST',
  target: '/local/texts',
  headers: [['Content-Type', 'application/x-www-form-urlencoded']],
  body: Buffer.from(body),
  sourceIp: '127.0.0.1',
  ...changes,
});

/** Simulates an incoming SMS. Returns the answer, and the SMS that were received. */
function play(body: string, changes: Partial<HttpRequest> = {}, hasTopic = true) {
  const received: IncomingSms[] = [];
  const receiveSms = (text: IncomingSms) => {
    if (hasTopic) received.push(text);
    return hasTopic;
  };
  const answer = answerLocally(request(body, changes), { messages: { receiveSms }, redrive: () => 2 });
  return { status: answer.status, body: JSON.parse(answer.body) as object, received };
}
const numbers = 'from=+61491570156&to=%2B61491570737';

test('an incoming SMS comes from the form that curl -d sends, without an encoded +', () => {
  const { received } = play(`${numbers}&text=Hello, is 3 pm+fine%3F 🦊`);
  expect(received).toMatchObject([
    { originationNumber: '+61491570156', messageBody: 'Hello, is 3 pm fine? 🦊' },
  ]);
});

test.each([
  ['to=+61491570737&text=Hi', 'from is missing'],
  [numbers, 'text is missing'],
  ['from=0491570156&to=+61491570737&text=Hi', 'from must be a number such as +61491570156'],
  [`${numbers}&text=Hi&id=`, 'id must not be empty'],
  [`${numbers}&text=Hi&form=x`, 'form is not known: there are from, to, text, id and answers'],
])('an incoming SMS is refused in a sentence: %s', (body, message) => {
  expect(play(body)).toEqual({ status: 400, body: { message }, received: [] });
});

test('an incoming SMS is refused from a web page, and if the stack has no topic for it', () => {
  const headers: [string, string][] = [['Origin', 'http://localhost:8080']];
  expect(play(`${numbers}&text=Hi`, { headers })).toMatchObject({ status: 403, received: [] });
  const message = 'The stack has no topic for texts that come in';
  expect(play(`${numbers}&text=Hi`, {}, false)).toMatchObject({ status: 404, body: { message } });
});

test('dead letters are redriven by a request of its own', () => {
  expect(play('', { target: '/local/redrive' })).toMatchObject({ status: 200, body: { redriven: 2 } });
  expect(isLocalRequest(request('', { target: '/local/redrive?x=1' }))).toBe(true);
  for (const other of [{ method: 'GET' }, { target: '/local' }, { target: '/v1/leads' }])
    expect(isLocalRequest(request('', other))).toBe(false);
});
