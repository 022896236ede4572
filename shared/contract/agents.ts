import { publicFunction } from './public-function.ts';

/**
 * Header that marks calls of the API by the function for agents. The value is the address of the function's caller.
 * Anyone can send the header, so it may raise a limit, but never remove a limit.
 */
export const agentAddressHeader = 'x-agent-address';

/** Tools for agents, by the Model Context Protocol: docs/guides/agents.md. */
export const serveAgentsFunction = publicFunction({
  name: 'serve-agents',
  summary:
    'Serves tools for agents by the Model Context Protocol, and calls the API with the token of the caller',
  routes: [
    { method: 'POST', path: '/mcp' },
    // Older clients ask for a stream (GET), or end a session (DELETE). Both get a 405.
    { method: 'GET', path: '/mcp' },
    { method: 'DELETE', path: '/mcp' },
  ],
});
