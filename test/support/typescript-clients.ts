import { createClient } from '@hey-api/openapi-ts';
import { build } from 'esbuild';
import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { root } from '../../infra/functions.ts';
import type { ClientCall, Description } from './client-calls.ts';

/** Answer to one call. */
export interface ClientAnswer {
  operationId: string;
  status: number;
  body: unknown;
  /** Body as the client's types write it, if they change its form. */
  json?: unknown;
  /** Variants that the answer has, where it can be one of several. */
  variants: string[];
}

/** Tokens of a client: one for the header, and a key for the query of certain paths. */
export interface ClientTokens {
  token: string;
  key: string;
  keyedPaths: readonly string[];
}

/** A generator of TypeScript clients, and the program that an integrator would write with its client. */
export interface TypeScriptClient {
  /** Compiler options under which the client's own code does not compile. */
  without?: Partial<ts.CompilerOptions>;
  /** Writes the client into `folder/generated`. */
  generate: (description: Description & object, folder: string) => Promise<void>;
  /**
   * Lines that import the client, make an instance with the tokens, and import the types `Inquiry`,
   * `StoredInquiry` and `BatchReport`.
   */
  opening: (baseUrl: string, tokens: ClientTokens) => string;
  /** Expression for the answer to a call: its `status`, and its typed `body`. */
  call: (call: ClientCall) => string;
}

export const openapiFetch: TypeScriptClient = {
  generate: async (description, folder) => {
    mkdirSync(join(folder, 'generated'));
    // A .d.ts file would not be checked.
    const text = astToString(await openapiTS(JSON.stringify(description)));
    writeFileSync(join(folder, 'generated/description.ts'), text);
  },
  // The client leaves it to its user how to send a token.
  opening: (baseUrl, { token, key, keyedPaths }) => `
    import createClient from 'openapi-fetch';
    import type { components, paths } from './generated/description.ts';
    type Inquiry = components['schemas']['Inquiry'];
    type StoredInquiry = components['schemas']['StoredInquiry'];
    type BatchReport = components['schemas']['BatchReport'];
    const client = createClient<paths, 'application/json'>({
      baseUrl: '${baseUrl}',
      headers: { Authorization: 'Bearer ${token}' },
    });
    client.use({
      onRequest: ({ request, schemaPath }) => {
        if (!${JSON.stringify(keyedPaths)}.includes(schemaPath)) return request;
        const url = new URL(request.url);
        url.searchParams.set('key', '${key}');
        return new Request(url, request);
      },
    });
    const answered = async <T>(call: Promise<{ data?: T; response: Response }>) => {
      const { data, response } = await call;
      return { status: response.status, body: data };
    };`,
  call: ({ method, path, params, query, headers, body }) => {
    const parameters = { path: filled(params), query: filled(query), header: filled(headers) };
    const options = JSON.stringify({ params: parameters, body });
    return `answered(client.${method.toUpperCase()}('${path}', ${options}))`;
  },
};

export const heyApi: TypeScriptClient = {
  without: { exactOptionalPropertyTypes: false },
  generate: async (description, folder) => {
    await createClient({
      // The generator changes its input.
      input: { ...structuredClone(description) },
      output: { path: join(folder, 'generated') },
      plugins: ['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch'],
      logs: { level: 'silent' },
    });
  },
  // The client calls the server that the description names.
  opening: (_, { token, key }) => `
    import { client } from './generated/client.gen';
    import * as api from './generated/sdk.gen';
    import type { BatchReport, Inquiry, StoredInquiry } from './generated/types.gen';
    client.setConfig({ auth: ({ type }) => (type === 'apiKey' ? '${key}' : '${token}') });
    const answered = async <T>(call: Promise<{ data: T; response?: Response }>) => {
      const { data, response } = await call;
      return { status: response?.status, body: data };
    };`,
  call: ({ operationId, params, query, headers, body }) => {
    const parameters = { path: filled(params), query: filled(query), headers: filled(headers) };
    return `answered(api.${operationId}(${JSON.stringify({ ...parameters, body })}))`;
  },
};

/** Text of the parameters; empty if there are none, since the types take no empty object. */
const filled = (parameters: object) => (Object.keys(parameters).length > 0 ? parameters : undefined);

/**
 * Functions that tell unions apart as an integrator would. They compile only if the generated types can be
 * narrowed, and if they handle every case.
 */
export const variants = `
  function variantOf(inquiry: Inquiry): string {
    switch (inquiry.source) {
      case 'CALL': return 'CALL ' + inquiry.data.recordingUrl;
      case 'EMAIL': return 'EMAIL ' + inquiry.data.subject;
      case 'CHATBOT': return 'CHATBOT ' + inquiry.data.messages[0]?.text;
      case 'SMS': return 'SMS ' + inquiry.data.messages[0]?.text;
      case 'WEBFORM': return 'WEBFORM ' + inquiry.data.formName;
    }
  }
  const variantsOf = {
    getInquiry: (inquiry?: Inquiry) => inquiry ? [variantOf(inquiry)] : [],
    updateInquiry: (inquiry?: Inquiry) => inquiry ? [variantOf(inquiry)] : [],
    createInquiry: (stored?: StoredInquiry) => stored ? [variantOf(stored.inquiry)] : [],
    updateProducts: (report?: BatchReport) => report?.results.map((result) =>
      result.status === 'ok' ? 'ok ' + result.product.name : 'error ' + result.code) ?? [],
  };`;

/** Program that makes the calls one after the other, and prints the answers. */
function programOf(
  { opening, call }: TypeScriptClient,
  baseUrl: string,
  tokens: ClientTokens,
  calls: ClientCall[],
): string {
  const statements = calls.map((each) => {
    const { operationId } = each;
    const hasVariants = ['getInquiry', 'updateInquiry', 'createInquiry', 'updateProducts'].includes(
      operationId,
    );
    return `{
      const answer = await ${call(each)};
      answers.push({ operationId: '${operationId}', ...answer, variants: ${
        hasVariants ? `variantsOf.${operationId}(answer.body)` : '[]'
      } });
    }`;
  });
  return `${opening(baseUrl, tokens)}
    ${variants}
    const answers: { operationId: string; status: number | undefined; body: unknown; variants: string[] }[] = [];
    ${statements.join('\n')}
    console.log(JSON.stringify(answers));`;
}

/** Writes a generated client and the program that makes calls with it into an empty folder. */
export async function writeClient(
  client: TypeScriptClient,
  folder: string,
  description: Description & object,
  { baseUrl, tokens, calls }: { baseUrl: string; tokens: ClientTokens; calls: ClientCall[] },
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  await client.generate(description, folder);
  writeFileSync(join(folder, 'program.ts'), programOf(client, baseUrl, tokens, calls));
}

/** Errors of a strict compiler for the program in a folder and all that it imports. */
export function compileStrictly({ without }: TypeScriptClient, folder: string): string[] {
  const program = ts.createProgram([join(folder, 'program.ts')], {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noImplicitReturns: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2023,
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    allowImportingTsExtensions: true,
    types: [],
    ...without,
  });
  return ts.getPreEmitDiagnostics(program).map(({ file, start = 0, messageText }) => {
    const { line = 0 } = file?.getLineAndCharacterOfPosition(start) ?? {};
    return `${file?.fileName ?? ''}:${line + 1} ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
  });
}

/** Runs the program in a folder. Returns the answers that it prints. */
export async function runProgram(folder: string): Promise<ClientAnswer[]> {
  const outfile = join(folder, 'program.mjs');
  await build({
    entryPoints: [join(folder, 'program.ts')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'silent',
  });
  const { stdout } = await promisify(execFile)(process.execPath, [outfile], { maxBuffer: 64 * 1024 * 1024 });
  return JSON.parse(stdout) as ClientAnswer[];
}
