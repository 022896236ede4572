import { describe, expect, test } from 'vitest';
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
  return { status: answer.status, body: JSON.parse(answer.body) as Record<string, string>, received };
}

describe('a simulated incoming SMS', () => {
  test('arrives as the provider publishes it, from the form that curl -d sends', () => {
    const { status, body, received } = play(
      'from=+61491570156&to=%2B61491570737&text=Hello, is 3 pm+fine%3F 🦊',
    );
    expect(status).toBe(202);
    expect(received).toEqual([
      {
        originationNumber: '+61491570156',
        destinationNumber: '+61491570737',
        messageKeyword: 'KEYWORD_000000000000',
        messageBody: 'Hello, is 3 pm fine? 🦊',
        inboundMessageId: body['inboundMessageId'],
      },
    ]);
    expect(body['inboundMessageId']).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('has the given id, and names the SMS that it answers', () => {
    const numbers = 'from=+61491570156&to=+61491570737';
    const { body, received } = play(`${numbers}&text=&id=text-1&answers=text-0`);
    expect(body).toEqual({ inboundMessageId: 'text-1' });
    expect(received).toMatchObject([
      { inboundMessageId: 'text-1', previousPublishedMessageId: 'text-0', messageBody: '' },
    ]);
  });

  test.each([
    ['to=+61491570737&text=Hi', 'from is missing'],
    ['from=+61491570156&text=Hi', 'to is missing'],
    ['from=+61491570156&to=+61491570737', 'text is missing'],
    ['from=0491570156&to=+61491570737&text=Hi', 'from must be a number such as +61491570156'],
    ['from=+61491570156&to=+61491570737&text=Hi&id=', 'id must not be empty'],
    [
      'from=+61491570156&to=+61491570737&text=Hi&form=x',
      'form is not known: there are from, to, text, id and answers',
    ],
  ])('is refused in a sentence: %s', (body, message) => {
    expect(play(body)).toEqual({ status: 400, body: { message }, received: [] });
  });

  test('is refused from a web page', () => {
    const headers: [string, string][] = [['Origin', 'http://localhost:8080']];
    const { status, received } = play('from=+61491570156&to=+61491570737&text=Hi', { headers });
    expect({ status, received }).toEqual({ status: 403, received: [] });
  });

  test('is refused if the stack has no topic for it', () => {
    const { status, body } = play('from=+61491570156&to=+61491570737&text=Hi', {}, false);
    expect({ status, body }).toEqual({
      status: 404,
      body: { message: 'The stack has no topic for texts that come in' },
    });
  });

  test('is separate from the request that redrives dead letters', () => {
    expect(play('', { target: '/local/redrive' })).toEqual({
      status: 200,
      body: { redriven: 2 },
      received: [],
    });
  });

  test.each([
    [{}, true],
    [{ target: '/local/texts?x=1' }, true],
    [{ method: 'GET' }, false],
    [{ target: '/local/redrive' }, true],
    [{ target: '/local' }, false],
    [{ target: '/v1/leads' }, false],
  ])('is a POST to its path: %j', (changes, isOne) => {
    expect(isLocalRequest(request('', changes))).toBe(isOne);
  });
});
