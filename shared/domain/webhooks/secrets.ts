import type { OrganizationCode } from '../../core/ids.ts';

/** Encrypts secrets, each for its organization alone. */
export interface SecretBox {
  encrypt(organization: OrganizationCode, secret: string): Promise<string>;
  /** @throws Error if the text was not encrypted for this organization */
  decrypt(organization: OrganizationCode, encrypted: string): Promise<string>;
}

/** Beginning of every secret; its bytes follow in base64. */
export const secretPrefix = 'whsec_';

/** Makes a secret as the Standard Webhooks specification writes it: 32 random bytes. */
export const newSecret = (randomBytes: (size: number) => Uint8Array): string =>
  `${secretPrefix}${Buffer.from(randomBytes(32)).toString('base64')}`;
