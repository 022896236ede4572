import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import * as v from 'valibot';
import { operation, Refusal, startJsonService } from '../json-service.ts';
import { localCredentials } from '../engine.ts';
import type { RunningServer } from '../loopback.ts';
import type { Permissions } from '../role.ts';
import type { KeyFile } from './key-file.ts';

/**
 * Stands in for KMS: encrypts and decrypts by the template's keys, for functions with roles that allow it.
 */
export type KmsStandIn = RunningServer;

interface KmsDependencies {
  permissions: Permissions;
  /** ARNs of the template's keys. */
  keys: () => readonly string[];
  keyFile: KeyFile;
}

/** Most bytes that KMS encrypts at once. */
const maxBytes = 4096;

const Base64 = v.pipe(
  v.string(),
  v.base64(),
  v.transform((text) => Buffer.from(text, 'base64')),
);
const EncryptionContext = v.pipe(v.record(v.string(), v.string()), v.minEntries(1));

const Encrypt = v.strictObject({
  KeyId: v.string(),
  Plaintext: v.pipe(
    Base64,
    v.check(({ length }) => length >= 1 && length <= maxBytes, `must have 1 to ${maxBytes} bytes`),
  ),
  EncryptionContext,
});

const Decrypt = v.strictObject({ KeyId: v.string(), CiphertextBlob: Base64, EncryptionContext });

const algorithm = 'aes-256-gcm';
const [nonceLength, tagLength] = [12, 16];

/**
 * Starts the stand-in. A ciphertext is decrypted by its own key and context alone, as with KMS. Unlike in KMS, each
 * call must name a context.
 */
export const startKmsStandIn = ({ permissions, keys, keyFile }: KmsDependencies): Promise<KmsStandIn> => {
  /** @throws Refusal if there is no such key */
  const keyOf = (arn: string): Buffer => {
    if (keys().includes(arn)) return keyFile.keyOf(arn);
    throw new Refusal('NotFoundException', `Key '${arn}' does not exist`);
  };
  return startJsonService(
    {
      Encrypt: operation(Encrypt, ({ KeyId, Plaintext, EncryptionContext: context }, call) => {
        // Operators may encrypt, too: with the access key of this machine, which no function has.
        if (call.functionName !== localCredentials.AWS_ACCESS_KEY_ID)
          call.requirePermission({ action: 'kms:Encrypt', resource: KeyId });
        const nonce = randomBytes(nonceLength);
        const cipher = createCipheriv(algorithm, keyOf(KeyId), nonce).setAAD(boundTo(KeyId, context));
        const encrypted = Buffer.concat([cipher.update(Plaintext), cipher.final()]);
        const blob = Buffer.concat([nonce, cipher.getAuthTag(), encrypted]);
        return { KeyId, CiphertextBlob: blob.toString('base64'), EncryptionAlgorithm: 'SYMMETRIC_DEFAULT' };
      }),
      Decrypt: operation(Decrypt, ({ KeyId, CiphertextBlob: blob, EncryptionContext: context }, call) => {
        call.requirePermission({ action: 'kms:Decrypt', resource: KeyId });
        const nonce = blob.subarray(0, nonceLength);
        const tag = blob.subarray(nonceLength, nonceLength + tagLength);
        const key = keyOf(KeyId);
        try {
          const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagLength })
            .setAAD(boundTo(KeyId, context))
            .setAuthTag(tag);
          const text = Buffer.concat([
            decipher.update(blob.subarray(nonceLength + tagLength)),
            decipher.final(),
          ]);
          return { KeyId, Plaintext: text.toString('base64'), EncryptionAlgorithm: 'SYMMETRIC_DEFAULT' };
        } catch {
          throw new Refusal('InvalidCiphertextException', 'The key or the encryption context is another one');
        }
      }),
    },
    permissions,
  );
};

/** Data that a ciphertext is bound to: the key's ARN, and the context in the order of its names. */
const boundTo = (arn: string, context: Record<string, string>): Buffer =>
  Buffer.from(JSON.stringify([arn, Object.entries(context).sort(([a], [b]) => (a < b ? -1 : 1))]));
