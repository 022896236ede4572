import { sentences } from '../contract/errors.ts';
import { Failure } from '../core/failure.ts';
import { isSigned } from '../domain/calls/signatures.ts';
import type { SentEvent } from '../contract/sent-event.ts';
import { bodyText, withoutMark, type IdentifiedEvent } from './event.ts';
import { secretBox } from './outside/secrets.ts';
import { system } from './outside/system.ts';
import type { ExtraSteps } from './serve.ts';

/**
 * Further steps of an endpoint that takes events of voice platforms. Reads any body. If the key has a signing secret,
 * refuses a body that is not signed with the secret. @throws Failure `forbidden`; `unavailable` if the secret cannot be
 * decrypted
 */
export const sentEvents: ExtraSteps<SentEvent> = {
  readBody: async (event) => {
    const text = bodyText(event);
    return { text, json: parsed(text), isSigned: await checkSignature(event, text) };
  },
};

/** @returns false if the token has no secret, so that nothing is to be checked */
async function checkSignature({ headers, identified }: IdentifiedEvent, text: string): Promise<boolean> {
  const { signingSecret, formerSecret, formerSecretUntil, principal } = identified;
  if (signingSecret === '') return false;
  const now = system.now();
  const former = Date.parse(formerSecretUntil) > now ? [formerSecret] : [];
  for (const encrypted of [signingSecret, ...former]) {
    const secret = await secretBox.decrypt(principal.organization, encrypted);
    if (isSigned({ headers, text }, secret, now)) return true;
  }
  throw new Failure('forbidden', sentences.notSigned);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(withoutMark(text));
  } catch {
    return undefined;
  }
}
