import { expect, test } from 'vitest';
import { signedHeaders } from '../../../../shared/domain/webhooks/sign.ts';

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
