import { DecryptCommand, EncryptCommand, GenerateDataKeyCommand, KMSClient } from '@aws-sdk/client-kms';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { arnOf, region } from '../../../../infra/local/arns.ts';
import { KeyFile } from '../../../../infra/local/keys/key-file.ts';
import { type KmsStandIn, startKmsStandIn } from '../../../../infra/local/keys/kms-stand-in.ts';
import { Permissions, type Statement } from '../../../../infra/local/role.ts';
import { newFolder } from '../../../support/new-folder.ts';

const KeyId = arnOf('SecretsKey');
const gone = arnOf('GoneKey');
const allowing = (...Action: string[]): Statement => ({ Effect: 'Allow', Action, Resource: [KeyId, gone] });
const roles: Record<string, Statement[]> = {
  CreateWebhook: [allowing('kms:Encrypt', 'kms:Decrypt')],
  SendWebhooks: [allowing('kms:Decrypt')],
};

let folder: string;
let standIn: KmsStandIn;
const start = async (file = join(folder, 'keys.json')) => {
  const permissions = new Permissions((name) => roles[name] ?? []);
  standIn = await startKmsStandIn({ permissions, keys: () => [KeyId], keyFile: new KeyFile(file) });
};
beforeEach(async () => {
  folder = newFolder();
  await start();
});
afterEach(() => standIn.close());

function clientOf(accessKeyId: string): KMSClient {
  const credentials = { accessKeyId, secretAccessKey: 'local' };
  return new KMSClient({ endpoint: standIn.endpoint, region, credentials, maxAttempts: 1 });
}

const EncryptionContext = { organization: '6H8EV880' };
const Plaintext = Buffer.from('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
async function encrypted(): Promise<Uint8Array> {
  const command = new EncryptCommand({ KeyId, Plaintext, EncryptionContext });
  const { CiphertextBlob } = await clientOf('CreateWebhook').send(command);
  return CiphertextBlob!;
}
async function decrypted(CiphertextBlob: Uint8Array, changes: object = {}): Promise<string> {
  const command = new DecryptCommand({ KeyId, CiphertextBlob, EncryptionContext, ...changes });
  return Buffer.from((await clientOf('SendWebhooks').send(command)).Plaintext!).toString();
}

test('what one function encrypts another decrypts, also after another start', async () => {
  const secret = await encrypted();
  expect(Buffer.from(secret).toString('latin1')).not.toContain('whsec_');
  expect(Buffer.from(await encrypted())).not.toEqual(Buffer.from(secret));
  expect(await decrypted(secret)).toBe(Plaintext.toString());
  await standIn.close();
  await start();
  expect(await decrypted(secret)).toBe(Plaintext.toString());
});

test('nothing is decrypted with another context, another text, or the key of another folder', async () => {
  const secret = await encrypted();
  const isRefused = (text: Uint8Array, changes?: object) =>
    expect(decrypted(text, changes)).rejects.toMatchObject({ name: 'InvalidCiphertextException' });
  await isRefused(secret, { EncryptionContext: { organization: '6H8EV881' } });
  await isRefused(secret, { EncryptionContext: { ...EncryptionContext, webhook: '1' } });
  await isRefused(secret.slice(0, -1));
  await isRefused(Buffer.from('short'));
  await standIn.close();
  await start(join(folder, 'other.json'));
  await isRefused(secret);
});

const encrypting = (by: string, changes: object = {}) =>
  clientOf(by).send(new EncryptCommand({ KeyId, Plaintext, EncryptionContext, ...changes }));

test.each([
  ['its role does not allow it', () => encrypting('SendWebhooks'), 'AccessDeniedException'],
  ['the key is not there', () => encrypting('CreateWebhook', { KeyId: gone }), 'NotFoundException'],
  [
    'there is no context',
    () => encrypting('CreateWebhook', { EncryptionContext: undefined }),
    'ValidationException',
  ],
  ['it sends more than is known', () => encrypting('CreateWebhook', { DryRun: true }), 'ValidationException'],
  [
    'the operation is another one',
    () => clientOf('CreateWebhook').send(new GenerateDataKeyCommand({ KeyId })),
    'UnknownOperationException',
  ],
] as const)('a function is refused if %s', async (_, call, name) => {
  await expect(call()).rejects.toMatchObject({ name });
});

test('a file that cannot be read is left as it is, and named', async () => {
  await standIn.close();
  const file = join(folder, 'keys.json');
  writeFileSync(file, '{');
  await start();
  await expect(encrypted()).rejects.toThrow(`${file} holds the keys of secrets and cannot be read`);
});
