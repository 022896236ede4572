import { join } from 'node:path';
import { startBound } from '../../../infra/local/bound-process.ts';
import { freePort } from '../../../infra/local/engine.ts';
import { LocalError } from '../../../infra/local/local-error.ts';
import { eventually } from '../../support/patience.ts';
import { output } from '../commands.ts';

const toxiproxy = 'github.com/Shopify/toxiproxy/v2/cmd/server@v2.12.0';

/** Installs toxiproxy into a folder. Returns its program. */
export async function installProxy(folder: string): Promise<string> {
  await output('go', ['install', toxiproxy], { env: { ...process.env, GOBIN: folder } });
  return join(folder, 'server');
}

/** A proxy that cuts off the answers on some of its connections, after the request has arrived. */
export interface CuttingProxy {
  baseUrl: string;
  close: () => Promise<void>;
}

/** Starts a proxy that cuts off this share of the answers, after their first byte. */
export async function startProxy(program: string, target: string, share: number): Promise<CuttingProxy> {
  const [control, port] = [await freePort(), await freePort()];
  const { child, end } = startBound(program, ['-host', '127.0.0.1', '-port', String(control)]);
  child.stderr.resume();
  const ask = async (path: string, body: object) => {
    const answer = await fetch(`http://127.0.0.1:${control}${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new LocalError(`toxiproxy said: ${await answer.text()}`);
  };
  const proxy = { name: 'api', listen: `127.0.0.1:${port}`, upstream: new URL(target).host };
  await eventually(
    () =>
      ask('/proxies', proxy).then(
        () => true,
        (error: unknown) => {
          if (error instanceof LocalError) throw error;
        },
      ),
    () => 'toxiproxy does not answer.',
  );
  await ask('/proxies/api/toxics', {
    type: 'limit_data',
    stream: 'downstream',
    toxicity: share,
    attributes: { bytes: 1 },
  });
  const close = async () => {
    end();
    if (child.exitCode === null) await new Promise((resolve) => child.once('exit', resolve));
  };
  return { baseUrl: `http://127.0.0.1:${port}`, close };
}
