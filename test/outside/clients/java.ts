import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { output } from '../commands.ts';
import type { ClientCall } from '../../support/client-calls.ts';
import type { Client, Understood } from './client.ts';

/** Clients that the generator makes with one of its libraries. */
export const java = (library: 'native' | 'okhttp-gson'): Client => ({
  name: `openapi-generator, a client in Java with ${library}`,
  // With Jackson, the client takes the first of several kinds of answer, unless a field tells them apart. This answer has the kind that
  // each voice platform asks for, which reads it itself.
  ...(library === 'native' && { unread: ['answerRinging'] }),
  call: async ({ description, tokens, calls }, folder) => {
    cpSync(join(import.meta.dirname, 'java'), folder, { recursive: true });
    writeFileSync(join(folder, 'openapi.json'), JSON.stringify(description));
    writeFileSync(join(folder, 'calls.json'), JSON.stringify({ ...tokens, calls: calls.map(named) }));
    const settings = { input: 'openapi.json', library, calls: 'calls.json', answers: 'answers.json' };
    const properties = Object.entries(settings).map(([name, value]) =>
      name === 'library' ? `-D${name}=${value}` : `-D${name}=${join(folder, value)}`,
    );
    await output('mvn', ['--batch-mode', '--quiet', ...properties, 'compile', 'exec:java'], { cwd: folder });
    return JSON.parse(readFileSync(join(folder, 'answers.json'), 'utf8')) as Understood[];
  },
});

/** Arguments for the Java program. The generator makes a class for each tag. */
const named = ({ operationId, tag, params, query, headers, body }: ClientCall) => ({
  operationId,
  api: apiOf(tag),
  arguments: { ...params, ...query, ...variables(headers) },
  body,
});

/** Names headers like their arguments: `ifMatch` for `If-Match`. */
export const variables = (headers: ClientCall['headers']) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      const variable = name.replaceAll('-', '');
      return [variable.charAt(0).toLowerCase() + variable.slice(1), value];
    }),
  );

/** Class of a tag: `LeadsApi` for `leads`. */
export const apiOf = (tag: string) =>
  `${tag.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())}Api`;
