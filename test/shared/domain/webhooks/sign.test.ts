import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { signedHeaders } from '../../../../shared/domain/webhooks/sign.ts';

const secretOf = (byte: number) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`;
const [old, present, another] = [secretOf(1), secretOf(2), secretOf(3)];
const id = 'b2c1-1-7';
const body = '{"type":"lead.created","data":{"name":"Zoë 😀"}}';
const seconds = () => Math.floor(Date.now() / 1000);

test('the example of the specification has its signature', () => {
  const parts = {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    seconds: 1614265330,
    body: '{"test": 2432232314}',
    secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  };
  expect(signedHeaders(parts)).toEqual({
    'webhook-id': parts.id,
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

test('a library made by others verifies by each secret, and refuses a changed byte', () => {
  const headers = signedHeaders({ id, seconds: seconds(), body, secrets: [old, present] });
  const verify = (secret: string, sent = body, with_ = headers) => new Webhook(secret).verify(sent, with_);
  expect(verify(old)).toEqual(JSON.parse(body));
  expect(verify(present)).toEqual(JSON.parse(body));
  expect(() => verify(another)).toThrow('No matching signature found');
  expect(() => verify(present, body.replace('7', '8').replace('ë', 'e'))).toThrow(
    'No matching signature found',
  );
  expect(() => verify(present, body, { ...headers, 'webhook-id': 'b2c1-1-8' })).toThrow('No matching');
  const late = signedHeaders({ id, seconds: seconds() - 301, body, secrets: [present] });
  expect(() => verify(present, body, late)).toThrow('Message timestamp too old');
});
