import type { CallToolResult, Tool } from '@modelcontextprotocol/server';

/** Revisions of the Model Context Protocol that agents speak. */
export const revisions = ['2026-07-28', '2025-11-25'] as const;
export type Revision = (typeof revisions)[number];

interface About {
  /** Instructions of the server. */
  instructions: string;
}

/** An agent's end of the protocol. `test/outside/agents` has the protocol's own client. */
export interface Agent extends About {
  list: () => Promise<Tool[]>;
  /** Calls a tool, and returns its text: see `told`. */
  call: (name: string, args?: object) => Promise<string>;
}

/** Parameters of a message. A call has the name of its tool, which is sent as a header, too. */
type Params = { name?: string } & Readonly<Record<string, unknown>>;

const key = (name: string) => `io.modelcontextprotocol/${name}`;
const clientInfo = { name: 'tests', version: '1' };

/** Connects an agent to an address. @throws Error for an answer that is an error of the protocol */
export async function connectAgent(
  address: URL,
  authorization: string | undefined,
  revision: Revision = '2026-07-28',
): Promise<Agent> {
  const isOld = revision === '2025-11-25';
  let id = 0;
  const ask = async <T>(method: string, params: Params): Promise<T> => {
    const meta = {
      [key('protocolVersion')]: revision,
      [key('clientInfo')]: clientInfo,
      [key('clientCapabilities')]: {},
    };
    const headers = {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': revision,
      ...(!isOld && { 'MCP-Method': method, ...(params.name !== undefined && { 'MCP-Name': params.name }) }),
      ...(authorization !== undefined && { Authorization: authorization }),
    };
    const message = {
      jsonrpc: '2.0',
      id: id++,
      method,
      params: { ...params, ...(!isOld && { _meta: meta }) },
    };
    const response = await fetch(address, { method: 'POST', headers, body: JSON.stringify(message) });
    const text = await response.text();
    // The older revision is answered by a stream of one event.
    const { result } = JSON.parse(text.replace(/^event: message\ndata: /, '')) as { result?: T };
    if (result === undefined) throw new Error(`${method} was answered ${response.status}: ${text}`);
    return result;
  };
  const { instructions } = await (isOld
    ? ask<About>('initialize', { protocolVersion: revision, capabilities: {}, clientInfo })
    : ask<About>('server/discover', {}));
  return {
    instructions,
    list: async () => (await ask<{ tools: Tool[] }>('tools/list', {})).tools,
    call: async (name, args = {}) => told(await ask('tools/call', { name, arguments: args })),
  };
}

/** Text of a result. The text of an error begins with `Error: `. */
export function told({ content, isError }: CallToolResult): string {
  const [first] = content;
  const text = first?.type === 'text' ? first.text : '';
  return isError ? `Error: ${text}` : text;
}
