import { build } from 'esbuild';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { output } from '../commands.ts';
import { compileStrictly } from '../compile-strictly.ts';
import { installPackages, missingPackages, type Packages } from '../tools.ts';
import type { Client, Understood } from './client.ts';
import type { ClientCall } from './client-calls.ts';
import type { Task } from './watched-machine.ts';

const packages: Packages = {
  from: import.meta.dirname,
  one: 'openapi-typescript',
  called: 'the packages of openapi-typescript',
};

export const typescript: Client = {
  name: 'openapi-typescript with openapi-fetch, a client in TypeScript',
  missing: () => missingPackages(packages),
  call: async (task, folder) => {
    await installPackages(packages, folder);
    writeFileSync(join(folder, 'openapi.json'), JSON.stringify(task.description));
    mkdirSync(join(folder, 'generated'));
    // A .d.ts file would not be checked.
    const generator = join(folder, 'node_modules/openapi-typescript/bin/cli.js');
    const args = [generator, 'openapi.json', '-o', 'generated/description.ts'];
    await output(process.execPath, args, { cwd: folder });
    writeFileSync(join(folder, 'program.ts'), programOf(task));
    await compileStrictly(folder, ['program.ts'], 'The client does not compile');
    return runProgram(folder);
  },
};

/** Lines that import the client, and make an instance with the tokens. The client leaves it to its user how to send them. */
const opening = ({ baseUrl, tokens: { token, invitationToken, key, keyedPaths } }: Task) => `
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
      if (schemaPath.endsWith('/accept')) request.headers.set('Authorization', 'Bearer ${invitationToken}');
      if (!${JSON.stringify(keyedPaths)}.includes(schemaPath)) return request;
      const url = new URL(request.url);
      url.searchParams.set('key', '${key}');
      return new Request(url, request);
    },
  });
  const bodyOf = async <T>(call: Promise<{ data?: T; response: Response }>, status: number) => {
    const { data, response } = await call;
    if (response.status !== status) throw new Error(response.url + ' is answered ' + response.status);
    return data;
  };`;

/** Expression for the typed body of the answer to a call. */
function callText({ method, path, params, query, headers, body, status }: ClientCall): string {
  const parameters = { path: filled(params), query: filled(query), header: filled(headers) };
  const options = JSON.stringify({ params: parameters, body });
  return `bodyOf(client.${method.toUpperCase()}('${path}', ${options}), ${status})`;
}

/** Text of the parameters; empty if there are none, because the types take no empty object. */
const filled = (parameters: object) => (Object.keys(parameters).length > 0 ? parameters : undefined);

/**
 * Functions that tell unions apart as an integrator would. The functions compile only if the generated types
 * can be narrowed, and if the functions handle every case.
 */
const variants = `
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
function programOf(task: Task): string {
  const statements = task.calls.map((call) => {
    const { operationId } = call;
    const hasVariants = /^(?:getInquiry|updateInquiry|createInquiry|updateProducts)$/.test(operationId);
    return `{
      const answer = await ${callText(call)};
      const variants: string[] = ${hasVariants ? `variantsOf.${operationId}(answer)` : '[]'};
      answers.push({ operationId: '${operationId}', answer, variants });
    }`;
  });
  return `${opening(task)}
    ${variants}
    const answers: { operationId: string; answer: unknown; variants: string[] }[] = [];
    ${statements.join('\n')}
    console.log(JSON.stringify(answers));`;
}

/** Runs the program in a folder. Returns the answers that it prints. */
async function runProgram(folder: string): Promise<Understood[]> {
  const entryPoints = [join(folder, 'program.ts')];
  const outfile = join(folder, 'program.mjs');
  await build({ entryPoints, outfile, bundle: true, format: 'esm', platform: 'node', logLevel: 'silent' });
  return JSON.parse(await output(process.execPath, [outfile])) as Understood[];
}
