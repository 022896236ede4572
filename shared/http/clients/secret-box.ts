import { DecryptCommand, EncryptCommand, type KMSClient } from '@aws-sdk/client-kms';
import { sentences } from '../../contract/errors.ts';
import { Failure } from '../../core/failure.ts';
import type { SecretBox } from '../../domain/webhooks/secrets.ts';

/** Maximum number of decrypted secrets in memory: a sender needs the same secrets again and again. */
const maxKept = 1000;

/**
 * Encrypts with a key of KMS and the organization as the context. So the encrypted secret of one organization is of no
 * use to another organization. Every method throws Failure `unavailable` if KMS does not answer.
 */
export function newSecretBox(client: KMSClient, KeyId: string): SecretBox {
  const kept = new Map<string, string>();
  return {
    encrypt: async (organization, secret) => {
      const Plaintext = Buffer.from(secret);
      const command = new EncryptCommand({ KeyId, Plaintext, EncryptionContext: { organization } });
      const { CiphertextBlob = new Uint8Array() } = await client.send(command).catch(refuse);
      return Buffer.from(CiphertextBlob).toString('base64');
    },
    decrypt: async (organization, encrypted) => {
      const name = `${organization} ${encrypted}`;
      const known = kept.get(name);
      if (known !== undefined) return known;
      const CiphertextBlob = Buffer.from(encrypted, 'base64');
      const command = new DecryptCommand({ KeyId, CiphertextBlob, EncryptionContext: { organization } });
      const { Plaintext = new Uint8Array() } = await client.send(command).catch(refuse);
      const secret = Buffer.from(Plaintext).toString();
      if (kept.size >= maxKept) kept.clear();
      kept.set(name, secret);
      return secret;
    },
  };
}

/** @throws Failure `unavailable`, or the error itself if the error says that the call is wrong */
function refuse(cause: unknown): never {
  if (cause instanceof Error && '$fault' in cause && cause.$fault === 'client') throw cause;
  throw new Failure('unavailable', sentences.unavailable, { cause });
}
