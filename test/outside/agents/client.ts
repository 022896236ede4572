import { deepStrictEqual, match, ok } from 'node:assert';
import { toolSets } from '../../../shared/http/agents/answer-agent.ts';
import type { Revision } from '../../support/connect-agent.ts';
import { load } from '../tools.ts';

/** Methods of the protocol's own client that are used. */
interface Client {
  connect: (transport: object) => Promise<void>;
  getServerVersion: () => { name: string } | undefined;
  listTools: () => Promise<{ tools: { name: string }[] }>;
  callTool: (call: object) => Promise<{ content: { text?: string }[] }>;
  listen: (filter: object) => Promise<{ honoredFilter: object; closed: Promise<string> }>;
  close: () => Promise<void>;
}
interface ClientPackage {
  Client: new (info: object, options: object) => Client;
  StreamableHTTPClientTransport: new (url: URL, options: object) => object;
}
interface Tokenizer {
  encode: (text: string) => number[];
}

/** Tokens that the lists of tools may take, which each conversation of an agent begins with. */
const budgets = { receptionist: 4000, office: 8000 } as const;

/** Lists the tools, calls one, and listens by the protocol's own client. @param folder folder with its package */
export async function checkClient(
  folder: string,
  { url, token }: { url: string; token: string },
  revision: Revision,
): Promise<void> {
  const { Client, StreamableHTTPClientTransport } = load(
    folder,
    '@modelcontextprotocol/client',
  ) as ClientPackage;
  const { encode } = load(folder, 'gpt-tokenizer/encoding/o200k_base') as Tokenizer;
  const mode = revision === '2025-11-25' ? 'legacy' : { pin: revision };
  const headers = { Authorization: `Bearer ${token}` };
  for (const set of ['receptionist', 'office'] as const) {
    const client = new Client({ name: 'tests', version: '1' }, { versionNegotiation: { mode } });
    const address = new URL(`${url}?tools=${set}`);
    await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }));
    deepStrictEqual(client.getServerVersion()?.name, 'sales-pipeline-service');
    const { tools } = await client.listTools();
    deepStrictEqual(
      tools.map(({ name }) => name),
      toolSets[set].map(({ name }) => name),
    );
    const tokens = encode(JSON.stringify(tools)).length;
    ok(tokens < budgets[set], `The tools of the ${set} take ${tokens} tokens, not less than ${budgets[set]}`);
    if (set === 'office') {
      const { content } = await client.callTool({ name: 'find_leads', arguments: {} });
      match(content[0]?.text ?? '', /^Leads: \d+\nlead_/);
    }
    if (revision === '2026-07-28') {
      // A function cannot wait.
      const { honoredFilter, closed } = await client.listen({ toolsListChanged: true });
      deepStrictEqual([honoredFilter, await closed], [{}, 'graceful']);
    }
    await client.close();
  }
}
