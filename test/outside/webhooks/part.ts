import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { LocalError } from '../../../infra/local/local-error.ts';
import { runs } from '../commands.ts';
import type { Part } from '../part.ts';
import { runStep } from '../run-step.ts';
import { firstMissing, missingGo, missingMaven, missingPackages, missingPython } from '../tools.ts';
import { packages, receivers } from './receivers.ts';
import { receiveEvents } from './received-events.ts';

/** True for each event that a receiver with the former secret, and with the present one, must accept. */
const expected = [
  [true, true, false, false],
  [false, true, false, false],
];

/** Shows deliveries to the receivers of docs/guides/webhooks.md, which verify them by libraries made by others. */
export const webhooks: Part = {
  name: 'webhooks',
  about:
    'delivers to the receivers of the guide: standardwebhooks in JavaScript, Python, Go and Java, and svix',
  missing: () =>
    firstMissing(
      missingGo('which one of the receivers is written in'),
      missingMaven('a receiver in Java is built'),
      runs('openssl', 'version').then((is) =>
        is ? undefined : 'there is no OpenSSL (openssl), which a shell verifies by.',
      ),
      missingPackages(packages),
      missingPython('one of the receivers'),
    ),
  run: async (folder) => {
    const { former, present, before, after } = await runStep('Events have arrived', receiveEvents);
    const changed = { ...after, body: after.body.replace('lead.created', 'lead.updated') };
    const headers = { ...after.headers, 'webhook-id': before.headers['webhook-id'] ?? '' };
    const events = [before, after, changed, { ...after, headers }];
    for (const [at, { language, install }] of receivers.entries()) {
      const own = join(folder, String(at));
      mkdirSync(own);
      await runStep(`${language}: verified by either secret, and refused with a changed byte`, async () => {
        const verify = await install(own);
        const accepted = [await verify(former, events), await verify(present, events)];
        if (!isDeepStrictEqual(accepted, expected))
          throw new LocalError(`${language}: accepted ${JSON.stringify(accepted)}.`);
      });
    }
  },
};
