import { deepStrictEqual } from 'node:assert';
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LocalError } from '../../../infra/local/local-error.ts';
import { voiceEvent } from '../../support/voice/events.ts';
import { load } from '../tools.ts';
import type { Organization } from './service.ts';

/** Functions of the platforms' packages that are used. */
interface RetellPackage {
  Retell: { sign: (body: string, key: string) => Promise<string> };
}
interface ElevenLabsPackage {
  ElevenLabsClient: new (options: { apiKey: string }) => {
    webhooks: { constructEvent: (body: string, header: string, secret: string) => Promise<unknown> };
  };
}

/** A platform's way to sign. */
interface Way {
  event: string;
  /** Headers of a body that is signed by a secret. */
  sign: (body: string, secret: string) => Promise<Record<string, string>>;
  /** True if the secret itself is sent, whatever the body. */
  isPlain?: boolean;
}

const hmac = (secret: string, signed: string) => createHmac('sha256', secret).update(signed).digest('hex');

function waysOf(folder: string): Record<string, Way> {
  const { Retell } = load(folder, 'retell-sdk') as RetellPackage;
  const { ElevenLabsClient } = load(folder, '@elevenlabs/elevenlabs-js') as ElevenLabsPackage;
  const { webhooks } = new ElevenLabsClient({ apiKey: 'none' });
  const plan = 'node_modules/@vapi-ai/server-sdk/dist/cjs/api/types/HmacAuthenticationPlan.d.ts';
  const planText = readFileSync(join(folder, plan), 'utf8');
  /** Value that Vapi's package documents for a field of an HMAC credential that is left out. */
  const vapiDefault = (field: string): string => {
    const [, value] = new RegExp(`Defaults to '(.+?)'\\. \\*/\\s+${field}\\?:`).exec(planText) ?? [];
    if (value === undefined) throw new LocalError(`Vapi's package documents no default of ${field}.`);
    return value;
  };
  return {
    Retell: {
      event: 'retell-call-ended',
      sign: async (body, secret) => ({ 'X-Retell-Signature': await Retell.sign(body, secret) }),
    },
    ElevenLabs: {
      event: 'elevenlabs-transcription',
      sign: async (body, secret) => {
        const time = Math.floor(Date.now() / 1000);
        const signature = `t=${time},v0=${hmac(secret, `${time}.${body}`)}`;
        // Throws if the package does not verify it.
        await webhooks.constructEvent(body, signature, secret);
        return { 'ElevenLabs-Signature': signature };
      },
    },
    'Vapi by HMAC': {
      event: 'vapi-report',
      sign: (body, secret) => {
        const time = String(Date.now());
        const parts: Record<string, string> = { timestamp: time, body };
        const signed = vapiDefault('payloadFormat').replaceAll(
          /\{(\w+)\}/g,
          (_, part: string) => parts[part]!,
        );
        const [header, timeHeader] = [vapiDefault('signatureHeader'), vapiDefault('timestampHeader')];
        return Promise.resolve({ [header]: hmac(secret, signed), [timeHeader]: time });
      },
    },
    'Vapi by X-Vapi-Secret': {
      event: 'vapi-report',
      sign: (_, secret) => Promise.resolve({ 'X-Vapi-Secret': secret }),
      isPlain: true,
    },
  };
}

/**
 * Sends events that are signed as the platforms sign.
 *
 * @param folder one with the platforms' packages
 * @throws AssertionError if one is refused, or accepted with a changed body or by another secret
 */
export async function sendSigned(folder: string, { newKey, post }: Organization): Promise<void> {
  const secret = 'key_0123456789abcdef';
  const path = `/v1/calls/events?key=${await newKey('calls:submit', secret)}`;
  for (const [way, { event, sign, isPlain = false }] of Object.entries(waysOf(folder))) {
    const body = JSON.stringify(voiceEvent(event));
    const headers = await sign(body, secret);
    const changed = body.replace('+14155550123', '+14155550124');
    const statuses = [
      (await post(path, changed, headers)).status,
      (await post(path, body, await sign(body, secret.replace('key', 'kez')))).status,
    ];
    deepStrictEqual(statuses, [isPlain ? 200 : 403, 403], `${way}, with another body, and by another secret`);
    deepStrictEqual(await post(path, body, headers), { status: 200, body: { stored: true } }, way);
  }
}
