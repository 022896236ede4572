import { KMSClient } from '@aws-sdk/client-kms';
import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { region } from '../../infra/local/arns.ts';
import { newSecretBox } from '../../shared/http/clients/secret-box.ts';
import type { SecretMaker } from '../../shared/domain/webhooks/change-webhook.ts';
import type { SecretBox } from '../../shared/domain/webhooks/secrets.ts';

/** A box that names the organization instead of encrypting. Only this box reads its own output. */
export const openBox: SecretBox = {
  encrypt: (organization, secret) => Promise.resolve(`${organization} ${secret}`),
  decrypt: (organization, encrypted) => {
    const [of, secret = ''] = encrypted.split(' ');
    return of === organization
      ? Promise.resolve(secret)
      : Promise.reject(new Error('Not of this organization'));
  },
};

export const secretMaker: SecretMaker = { box: openBox, randomBytes };

/** The local machine's box, which an operator encrypts with. */
export function operatorsBox(): SecretBox {
  const { endpoint, key } = inject('secrets')!;
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  return newSecretBox(new KMSClient({ region, endpoint, credentials }), key);
}
