import { KMSClient } from '@aws-sdk/client-kms';
import { region } from '../../../infra/local/arns.ts';
import type { Scope } from '../../../shared/contract/scopes.ts';
import { newSecretBox } from '../../../shared/http/clients/secret-box.ts';
import { foundOrganizationAt } from '../../support/stored-organization.ts';
import { unthrottled } from '../../support/machine/unthrottled.ts';
import { startMachineInMemory } from '../machine-in-memory.ts';

/** Answer of the service. */
interface Answer {
  status: number;
  body: unknown;
}

/** An organization of the service. */
export interface Organization {
  /**
   * Issues a key. If the key has a secret, events and questions by the key must be signed with the secret.
   */
  newKey: (scope: Scope, secret?: string) => Promise<string>;
  get: (path: string) => Promise<Answer>;
  /** Posts as a platform does, which has only a key in the address. */
  post: (path: string, body: string, headers?: Record<string, string>) => Promise<Answer>;
}

/** Starts a local machine in memory, on which organizations of the USA can be founded. */
export async function startVoiceService() {
  const { machine, baseUrl, close } = await startMachineInMemory({ settings: unthrottled });
  const { tableName, engine, secrets } = machine;
  const { endpoint, key } = secrets!;
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const kms = new KMSClient({ region, endpoint, credentials });
  const box = newSecretBox(kms, key);
  const ask = async (path: string, init: RequestInit): Promise<Answer> => {
    const response = await fetch(`${baseUrl}${path}`, init);
    return { status: response.status, body: await response.json() };
  };
  const newOrganization = async (): Promise<Organization> => {
    const organization = await foundOrganizationAt(
      { endpoint: engine.endpoint, tableName },
      { country: 'US' },
    );
    return {
      newKey: async (scope, secret) => {
        const signingSecret = secret === undefined ? '' : await box.encrypt(organization.code, secret);
        return organization.issueToken({ scopes: [scope], signingSecret });
      },
      get: (path) => ask(path, { headers: { Authorization: `Bearer ${organization.token}` } }),
      post: (path, body, headers = {}) =>
        ask(path, { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body }),
    };
  };
  return {
    newOrganization,
    close: async () => {
      kms.destroy();
      await close();
    },
  };
}
