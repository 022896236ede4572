import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { output } from '../commands.ts';
import { missingGo } from '../tools.ts';
import type { ClientCall } from './client-calls.ts';
import type { Client, Understood } from './client.ts';

const generator = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2';

export const go: Client = {
  name: 'oapi-codegen, a client in Go',
  missing: () => missingGo('for which oapi-codegen makes clients'),
  call: async ({ baseUrl, description, tokens, calls }, folder) => {
    cpSync(join(import.meta.dirname, 'go'), folder, { recursive: true });
    mkdirSync(join(folder, 'client'));
    writeFileSync(join(folder, 'openapi.json'), JSON.stringify(description));
    writeFileSync(
      join(folder, 'calls.json'),
      JSON.stringify({ baseUrl, ...tokens, calls: calls.map(ordered) }),
    );
    await output('go', ['run', generator, '-config', 'oapi-codegen.yaml', 'openapi.json'], { cwd: folder });
    await output('go', ['run', '.', 'calls.json', 'answers.json'], { cwd: folder });
    return JSON.parse(readFileSync(join(folder, 'answers.json'), 'utf8')) as Understood[];
  },
};

/**
 * Arguments for the Go program: parameters of a path in its order, those of the query and the headers
 * together.
 */
const ordered = ({ operationId, path, params, query, headers, body }: ClientCall) => ({
  operationId,
  path: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => params[name!]),
  query: { ...query, ...headers },
  body,
});
