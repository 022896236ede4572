import { KMSClient } from '@aws-sdk/client-kms';
import { timeLimits } from '../../core/waits.ts';
import type { SecretMaker } from '../../domain/webhooks/change-webhook.ts';
import { newSecretBox } from '../clients/secret-box.ts';
import { system } from './system.ts';

/** The box with the key that the function's environment names. */
export const secretBox = newSecretBox(
  new KMSClient({
    // Encrypting or decrypting twice is harmless.
    maxAttempts: 2,
    requestHandler: {
      connectionTimeout: timeLimits.connect,
      requestTimeout: timeLimits.reply,
      throwOnRequestTimeout: true,
    },
  }),
  process.env['SECRETS_KEY'] ?? '',
);

export const secretMaker: SecretMaker = {
  box: secretBox,
  randomBytes: (size) => system.randomBytes(size),
};
