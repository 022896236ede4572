import { hash } from 'node:crypto';
import type { CallToolResult, StandardSchemaWithJSON, ToolAnnotations } from '@modelcontextprotocol/server';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import { takesKey, type Endpoint, type Schema } from '../../contract/endpoint.ts';
import type { AskedScope } from '../../contract/scopes.ts';
import { canonicalText } from '../../core/canonical-text.ts';
import { localTextIn, type LocalText } from './local-text.ts';
import { readArguments } from './read-arguments.ts';
import { refusalText } from './refusal-text.ts';
import type { Send } from './sending.ts';
import { brief } from './texts.ts';

type InputOf<S> = S extends Schema ? v.InferInput<S> : undefined;

/** Parts of a request beside its method and path, in the form of the endpoint's contract. */
interface CallParts<E extends Endpoint> {
  params?: { [Name in keyof E['params']]: string };
  query?: { [Name in keyof InputOf<E['query']>]?: string | number | undefined };
  body?: InputOf<E['body']>;
}

/** Endpoint that takes a token as Bearer. */
type CallableEndpoint = Endpoint & { scope: AskedScope };

interface Definition<E extends CallableEndpoint, Arguments extends v.ObjectEntries, Answer extends Schema> {
  name: string;
  title: string;
  /** Sentences for the model: when to call the tool, and the next step. */
  description: string;
  /** Arguments of the tool. The API's contract has the rules, so they are not repeated here. */
  args: Arguments;
  /** Endpoint that the tool calls, once. */
  endpoint: E;
  request: (args: v.InferOutput<v.ObjectSchema<Arguments, undefined>>) => CallParts<E>;
  /** Fields of the answer that the text tells. A token that may not read gets ids alone. */
  answer: Answer;
  text: (
    answer: v.InferOutput<Answer>,
    args: v.InferOutput<v.ObjectSchema<Arguments, undefined>>,
    /** Shows times, in the organization's time zone if the endpoint tells the zone. */
    at: LocalText,
  ) => string;
  /** Reads before the request is sent. Returns what to tell instead of sending it; undefined to send it. */
  before?: (
    args: v.InferOutput<v.ObjectSchema<Arguments, undefined>>,
    send: Send,
  ) => Promise<string | undefined>;
  /** Arguments by the names that the API has for them, where these differ. */
  argumentOf?: Readonly<Record<string, string>>;
  /** True if the tool removes or replaces existing data. */
  isDestructive?: true;
}

/** Tool of an agent: docs/guides/agents.md. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  inputSchema: StandardSchemaWithJSON;
  annotations: ToolAnnotations;
  /** Scope that the tool's endpoint asks for. */
  scope: AskedScope;
  /** Calls the endpoint with arguments as a client sends them. */
  call: (given: unknown, send: Send) => Promise<CallToolResult>;
}

/**
 * Argument that makes a call different from an earlier call. Without it, a repeated call of such a tool does nothing.
 */
const again = v.optional(
  v.pipe(v.number(), v.integer(), v.minValue(2), v.description('2 to do the very same once more')),
);

const alreadyDone =
  'This was done before, by the same call, and nothing new was done. To do the very same once more on purpose, call with again: 2.';

/** Defines a tool that calls one endpoint. */
export function tool<E extends CallableEndpoint, Arguments extends v.ObjectEntries, Answer extends Schema>({
  name,
  title,
  description,
  args: entries,
  endpoint,
  request,
  answer: answerSchema,
  text,
  before,
  argumentOf = {},
  isDestructive,
}: Definition<E, Arguments, Answer>): Tool {
  const { method, path, scope } = endpoint;
  const isKeyed = takesKey(endpoint);
  const allEntries = isKeyed ? { ...entries, again } : entries;
  const { '~standard': described } = toStandardJsonSchema(v.strictObject(allEntries));
  return {
    name,
    title,
    description,
    // The tool itself reads the arguments, because clients send more than the description has.
    inputSchema: { '~standard': { ...described, validate: (value) => ({ value }) } },
    annotations:
      method === 'GET'
        ? { readOnlyHint: true }
        : { readOnlyHint: false, destructiveHint: isDestructive === true, idempotentHint: true },
    scope,
    call: async (given, send) => {
      const read = readArguments(name, allEntries, given);
      if ('refusal' in read) return { content: [textPart(read.refusal)], isError: true };
      const args = v.parse(v.object(entries), read.args);
      const instead = await before?.(args, send);
      if (instead !== undefined) return { content: [textPart(instead)], isError: true };
      const { params = {}, query = {}, body } = request(args);
      const answer = await send({
        method,
        target: targetOf(path, params, query),
        body,
        prefersTimeZone: endpoint.tellsTimeZone,
        // A model that repeats a call after a timeout must not do it twice.
        key: isKeyed ? hash('sha256', canonicalText([name, read.args])) : undefined,
      });
      const at = localTextIn(answer.headers.get('time-zone'));
      if (answer.status >= 400)
        return { content: [textPart(refusalText(answer, argumentOf, at))], isError: true };
      const parsed = v.safeParse(answerSchema, answer.body);
      // If a record has changed since the same call, the answer has its id alone.
      const told = parsed.success ? text(parsed.output, args, at) : brief(JSON.stringify(answer.body), 500);
      const isReplayed = answer.headers.get('idempotency-replayed') === 'true';
      return { content: [textPart(isReplayed ? `${alreadyDone}\n${told}` : told)] };
    },
  };
}

const textPart = (text: string) => ({ type: 'text' as const, text });

/** Returns the path with its ids, and the query without undefined values. */
export function targetOf(
  path: string,
  params: Partial<Record<string, string>>,
  query: Partial<Record<string, string | number>>,
): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const given = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? filled : `${filled}?${new URLSearchParams(given).toString()}`;
}
