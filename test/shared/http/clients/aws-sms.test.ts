import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { localCredentials } from '../../../../infra/local/engine.ts';
import { region, smsArn } from '../../../../infra/local/arns.ts';
import { closeAll, listenOnLoopback } from '../../../../infra/local/loopback.ts';
import type { SendSms } from '../../../../shared/domain/sms/sms-provider.ts';
import { awsSms } from '../../../../shared/http/clients/aws-sms.ts';

/** Answer of the provider to a request that it has read. */
let react: (response: ServerResponse, request: IncomingMessage) => void;
let requests: { target: string; body: unknown }[];
let server: Server;
let send: SendSms;

beforeEach(async () => {
  requests = [];
  server = createServer((request, response) => {
    void text(request).then((body) => {
      requests.push({ target: String(request.headers['x-amz-target']), body: JSON.parse(body) as unknown });
      react(response, request);
    });
  });
  const port = await listenOnLoopback(server);
  for (const [name, value] of Object.entries({
    ...localCredentials,
    AWS_REGION: region,
    AWS_ENDPOINT_URL_PINPOINT_SMS_VOICE_V2: `http://127.0.0.1:${port}`,
  })) {
    vi.stubEnv(name, value);
  }
  send = awsSms({ name: 'our-texts', region });
});

afterEach(async () => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  await close();
});

async function close(): Promise<void> {
  if (server.listening) await closeAll(server);
}

function answer(response: ServerResponse, status: number, body: object | string): void {
  response.writeHead(status, { 'Content-Type': 'application/x-amz-json-1.0' });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

const message = {
  to: '+61491570156',
  text: 'Zoë, we come at 3 🦊',
  from: `${smsArn}:pool/pool-1`,
  context: { organization: '6H8EV880', message: '12' },
};

test('a message is handed over once, and its id is returned', async () => {
  react = (response) => {
    answer(response, 200, { MessageId: 'message-1' });
  };
  expect(await send(message)).toEqual({ status: 'SENT', providerId: 'message-1' });
  expect(requests).toEqual([
    {
      target: 'PinpointSMSVoiceV2.SendTextMessage',
      body: {
        DestinationPhoneNumber: '+61491570156',
        OriginationIdentity: `${smsArn}:pool/pool-1`,
        MessageBody: 'Zoë, we come at 3 🦊',
        MessageType: 'TRANSACTIONAL',
        ConfigurationSetName: 'our-texts',
        Context: { organization: '6H8EV880', message: '12' },
      },
    },
  ]);
});

test('a message that is sent from a region without a configuration set names none', async () => {
  react = (response) => {
    answer(response, 200, { MessageId: 'message-1' });
  };
  await awsSms({ name: 'our-texts', region: 'eu-west-1' })(message);
  expect(requests[0]!.body).not.toHaveProperty('ConfigurationSetName');
});

const failed = (reason: string) => ({ status: 'FAILED', reason });
const unknown = { status: 'UNKNOWN', reason: 'UNKNOWN' };

test.each([
  ['ThrottlingException', 429],
  ['SomethingNewException', 400],
])('a refusal (%s, %i) is a failure, and is not tried again', async (type, status) => {
  react = (response) => {
    answer(response, status, {
      __type: `com.amazonaws.pinpointsmsvoicev2#${type}`,
      Message: `${message.to} refuses ${message.text}`,
      Reason: 'BLOCKED',
    });
  };
  const outcome = await send(message);
  expect(outcome).toMatchObject({
    ...failed('REFUSED'),
    // The log must hold neither the number nor the text.
    cause: { message: `SendTextMessage ${type} BLOCKED` },
  });
  expect(requests).toHaveLength(1);
});

test('a number that has opted out is reported as such', async () => {
  react = (response) => {
    answer(response, 400, {
      __type: 'com.amazonaws.pinpointsmsvoicev2#ConflictException',
      Message: 'Destination phone number opted out',
      Reason: 'DESTINATION_PHONE_NUMBER_OPTED_OUT',
    });
  };
  expect(await send(message)).toMatchObject(failed('OPTED_OUT'));
  expect(requests).toHaveLength(1);
});

const answering =
  (status: number, body: object | string): typeof react =>
  (response) => {
    answer(response, status, body);
  };

test.each<[string, typeof react]>([
  ['a server error', answering(500, { __type: 'InternalServerException', Message: 'Oops' })],
  ['an answer that cannot be read', answering(200, '<html>')],
  ['a connection that is reset', (_, request) => request.socket.resetAndDestroy()],
  [
    'half an answer',
    (response, request) => {
      response.writeHead(200, { 'Content-Length': 100 });
      response.write('{"MessageId":');
      setImmediate(() => request.socket.resetAndDestroy());
    },
  ],
])('%s has an unknown outcome, and is not tried again', async (_, reaction) => {
  react = reaction;
  expect(await send(message)).toMatchObject({ ...unknown, cause: expect.any(Error) as Error });
  expect(requests).toHaveLength(1);
});

test('no answer within five seconds is an unknown outcome', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  let settled = false;
  let wasEarly: boolean | undefined;
  react = () => {
    vi.advanceTimersByTime(4999);
    setImmediate(() => {
      wasEarly = settled;
      vi.advanceTimersByTime(1);
    });
  };
  const outcome = await send(message).finally(() => (settled = true));
  expect(outcome).toMatchObject({ ...unknown, cause: { message: 'SendTextMessage TimeoutError ETIMEDOUT' } });
  expect(wasEarly).toBe(false);
  expect(requests).toHaveLength(1);
});

test('a refused connection means that the message was not sent', async () => {
  await close();
  expect(await send(message)).toMatchObject({
    ...failed('UNREACHED'),
    cause: { message: 'SendTextMessage Error ECONNREFUSED' },
  });
});

test('no message uses an open connection, which the provider may have closed', async () => {
  const used = new Set<Socket>();
  react = (response, { socket }) => {
    if (used.has(socket)) socket.resetAndDestroy();
    else answer(response, 200, { MessageId: 'message' });
    used.add(socket);
  };
  expect(await send(message)).toMatchObject({ status: 'SENT' });
  expect(await send(message)).toMatchObject({ status: 'SENT' });
});
