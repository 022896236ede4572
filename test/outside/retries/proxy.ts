import { join } from 'node:path';
import { freePort } from '../../../infra/local/engine.ts';
import { LocalError } from '../../../infra/local/local-error.ts';
import { output } from '../commands.ts';
import { withServer } from '../with-server.ts';

const toxiproxy = 'github.com/Shopify/toxiproxy/v2/cmd/server@v2.12.0';

/** Installs toxiproxy into a folder. Returns its program. */
export async function installProxy(folder: string): Promise<string> {
  await output('go', ['install', toxiproxy], { env: { ...process.env, GOBIN: folder } });
  return join(folder, 'server');
}

/** Starts a proxy that cuts off this share of the answers, after their first byte, and ends it after `use`. */
export async function withProxy(
  program: string,
  target: string,
  share: number,
  use: (baseUrl: string) => Promise<void>,
): Promise<void> {
  const [control, port] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${control}`;
  const command = [program, '-host', '127.0.0.1', '-port', String(control)];
  const ask = async (path: string, body: object) => {
    const answer = await fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(body) });
    if (!answer.ok) throw new LocalError(`toxiproxy said: ${await answer.text()}`);
  };
  await withServer({ name: 'toxiproxy', url: `${url}/version`, command }, async () => {
    await ask('/proxies', { name: 'api', listen: `127.0.0.1:${port}`, upstream: new URL(target).host });
    await ask('/proxies/api/toxics', {
      type: 'limit_data',
      stream: 'downstream',
      toxicity: share,
      attributes: { bytes: 1 },
    });
    await use(`http://127.0.0.1:${port}`);
  });
}
