import { ensureDemo } from '../../infra/local/demo/demo.ts';
import { LocalError } from '../../infra/local/local-error.ts';
import type { SmsAtProvider } from '../../infra/local/messaging/sms-stand-in.ts';
import { unthrottled } from '../support/machine/unthrottled.ts';
import { startMachineInMemory } from './machine-in-memory.ts';

/**
 * Starts a local machine in memory with the demo data. The examples of the description have the ids of the demo data.
 * `sent` has every SMS that is handed over.
 */
export async function startMemoryService() {
  const sent: SmsAtProvider[] = [];
  const { machine, baseUrl, close } = await startMachineInMemory({
    settings: unthrottled,
    keepSms: (sms) => sent.push(sms),
  });
  const [demo] = await ensureDemo(machine);
  if (!demo) throw new LocalError('The local machine has no demo data.');
  return { baseUrl, token: demo.token, key: demo.channels.key, sent, close };
}
