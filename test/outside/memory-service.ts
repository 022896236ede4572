import { temporaryFolder } from '../../infra/local/data-folder.ts';
import { ensureDemo } from '../../infra/local/demo/demo.ts';
import { LocalError } from '../../infra/local/local-error.ts';
import { Machine } from '../../infra/local/machine.ts';
import type { SentSms } from '../../infra/local/messaging/sms-stand-in.ts';
import { servedApi } from '../support/served-api.ts';
import { unthrottled } from '../support/unthrottled.ts';

/**
 * Starts a local machine in memory with the demo data, whose ids stand in the examples of the description. `sent` has
 * every SMS that is handed over.
 */
export async function startMemoryService() {
  const folder = temporaryFolder();
  const sent: SentSms[] = [];
  const machine = await Machine.start({
    ...folder,
    settings: unthrottled,
    watch: false,
    keepSms: (sms) => sent.push(sms),
  });
  const served = await servedApi((request) => machine.answer(request));
  const [demo] = await ensureDemo(machine);
  if (!demo) throw new LocalError('The local machine has no demo data.');
  const close = async () => {
    await served.close();
    await machine.close();
    folder.release();
  };
  return { baseUrl: served.baseUrl, token: demo.token, key: demo.channels.key, sent, close };
}
