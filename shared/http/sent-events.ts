import { sentences } from '../contract/errors.ts';
import { Failure } from '../core/failure.ts';
import { realSystem } from '../core/system.ts';
import { isSigned } from '../domain/calls/signatures.ts';
import { bodyText, withoutMark, type ServedEvent } from './event.ts';
import { secretBox } from './secret-box.ts';
import type { ExtraMiddleware } from './serve.ts';

/**
 * Middleware of an endpoint that takes events of voice platforms. It reads any body, and refuses one that is not signed by the
 * secret of its key, if that has one. @throws Failure `forbidden`; `unavailable` if the secret cannot be decrypted
 */
export const sentEvents: ExtraMiddleware = {
  readBody: {
    before: async ({ event }) => {
      const text = bodyText(event);
      await checkSignature(event, text);
      event.sent = { text, json: parsed(text) };
    },
  },
};

async function checkSignature(event: ServedEvent, text: string): Promise<void> {
  const { signingSecret = '', caller, headers } = event;
  if (signingSecret === '' || !caller) return;
  const secret = await secretBox.decrypt(caller.organization, signingSecret);
  if (!isSigned({ headers, text }, secret, realSystem.now()))
    throw new Failure('forbidden', sentences.notSigned);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(withoutMark(text));
  } catch {
    return undefined;
  }
}
