import { randomBytes } from 'node:crypto';
import type { SecretMaker } from '../../shared/domain/webhooks/change-webhook.ts';
import type { SecretBox } from '../../shared/domain/webhooks/secrets.ts';

/** A box that names the organization instead of encrypting. Only it reads what it wrote. */
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
