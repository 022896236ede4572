import { publicFunction } from './public-function.ts';

/**
 * Header by which the function for agents marks its calls of the API: the address of who called it. Anyone can send it, so it
 * may widen a limit, and never end one.
 */
export const agentAddressHeader = 'x-agent-address';

/** Tools for agents, by the Model Context Protocol: docs/agents.md. */
export const serveAgentsFunction = publicFunction({
  name: 'serve-agents',
  summary:
    'Serves tools for agents by the Model Context Protocol, and calls the API with the token of the caller',
  routes: [
    { method: 'POST', path: '/mcp' },
    // Older clients ask whether there is a stream, or end a session. Both are a 405.
    { method: 'GET', path: '/mcp' },
    { method: 'DELETE', path: '/mcp' },
  ],
});
