import { build, type BuildOptions, type Plugin } from 'esbuild';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import * as v from 'valibot';
import { bundling } from '../../infra/bundle/bundle.ts';
import { lambdaRuntime } from '../../infra/bundle/lambda-runtime.ts';
import { findContracts } from '../../infra/functions.ts';
import { root } from '../../infra/root.ts';
import { ensureAssembly } from '../../infra/local/assembly.ts';
import { clientOf, localCredentials, startEngine } from '../../infra/local/engine.ts';
import { region, smsArn } from '../../infra/local/arns.ts';
import { startSmsStandIn } from '../../infra/local/messaging/sms-stand-in.ts';
import { Permissions } from '../../infra/local/role.ts';
import { ensureTable } from '../../infra/local/tables.ts';
import { readTemplate } from '../../infra/local/template/template.ts';
import { openApiDocument } from '../../infra/open-api/open-api.ts';
import { stageSettings } from '../../infra/stack/stages.ts';
import type { TableAddress } from '../support/stored-organization.ts';
import { startTlsProxy } from '../support/machine/tls-proxy.ts';

/** A table of this machine's engine. */
export type EngineTable = Required<TableAddress>;

/** Creates the template's table on the local machine's engine, and ends all that it started after `use`. */
export async function withTable<T>(use: (table: EngineTable) => Promise<T>): Promise<T> {
  const engine = await startEngine();
  const client = clientOf(engine);
  try {
    const { tables } = readTemplate(await ensureAssembly());
    for (const table of tables) await ensureTable(client, table, engine);
    return await use({ endpoint: engine.endpoint, tableName: tables[0]!.name });
  } finally {
    client.destroy();
    await engine.close();
  }
}

/** Removes the awaited call of a function's start: CommonJS has no top-level await. */
const unprimed: Plugin = {
  name: 'unprimed',
  setup(build) {
    build.onLoad({ filter: /\/shared\/http\/outside\/table\.ts$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8');
      const contents = source.replace(/^await store\.warmUp\(\);$/m, '');
      if (contents === source) throw new Error(`${path} does not call warmUp() any more`);
      return { contents, loader: 'ts' };
    });
  },
};

/** Ways to bundle functions. */
export const ways = {
  /** CDK's `NodejsFunction` with an entry alone: CommonJS, not minified, the SDK bundled from its `main` files. */
  byDefault: {
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    target: 'node24',
    logLevel: 'silent',
    format: 'cjs',
    entryNames: '[name]',
    outExtension: { '.js': '.cjs' },
    plugins: [unprimed],
  },
  /** The deployed way, without the call to DynamoDB that a function makes while it starts. */
  unprimed: { ...bundling, plugins: [unprimed, ...lambdaRuntime] },
  deployed: bundling,
} as const satisfies Record<string, BuildOptions>;

/** A function to run: the file of its handler, and the event that it gets each time. */
export interface RunnableFunction {
  file: string;
  event: object;
}

/** Milliseconds of a process that runs functions. */
const Times = v.object({
  /** Milliseconds to load all functions. */
  load: v.number(),
  /** Milliseconds from the start of the process to the first answer. */
  first: v.number(),
  /** Milliseconds of each call, by function. */
  calls: v.array(v.array(v.number())),
});

/**
 * Stands in for Lambda's runtime: loads `http` before the functions, then calls them in turn. The file is
 * plain JavaScript, because stripping types takes as long as the measured start.
 */
const runtime = `
require('http');
const { readFileSync } = require('fs');
const { functions, times } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const write = process.stdout.write.bind(process.stdout);
process.stdout.write = () => true;
const context = { awsRequestId: 'bench', functionName: 'bench', getRemainingTimeInMillis: () => 15000 };
(async () => {
  const began = performance.now();
  const handlers = [];
  for (const { file } of functions) handlers.push((await import(file)).handler);
  const load = performance.now() - began;
  let first;
  const calls = functions.map(() => []);
  for (let time = 0; time < times; time++)
    for (const [at, handler] of handlers.entries()) {
      const called = performance.now();
      const { statusCode = 200, body } = await handler({ ...functions[at].event }, context);
      if (statusCode >= 300) throw new Error(statusCode + ' ' + body);
      calls[at].push(performance.now() - called);
      first ??= performance.now();
    }
  write(JSON.stringify({ load, first, calls }), () => process.exit());
})();
`;

/** Bundles functions, and runs them in separate processes as Lambda does, with DynamoDB behind TLS. */
export interface FunctionPlace {
  /** Bundles entries in a way. Returns the file of an entry. */
  build: (way: keyof typeof ways, entries: readonly string[]) => Promise<(entry: string) => string>;
  /** Calls functions in turn in one process, so many times each. @throws Error if one answers with an error */
  run: (functions: readonly RunnableFunction[], times: number) => Promise<v.InferOutput<typeof Times>>;
}

/** Opens a place for functions, and ends all that it started after `use`. */
export async function withFunctionPlace<T>(
  table: EngineTable,
  use: (place: FunctionPlace) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const proxy = await startTlsProxy(table.endpoint);
  const identity = `${smsArn}:phone-number/phone-local`;
  const configurationSet = 'bench';
  const Resource = [identity, `${smsArn}:configuration-set/${configurationSet}`];
  const sms = await startSmsStandIn({
    permissions: new Permissions(() => [
      { Effect: 'Allow', Action: ['sms-voice:SendTextMessage'], Resource },
    ]),
    keep: () => undefined,
    hasConfigurationSet: (name) => name === configurationSet,
  });
  const env = {
    ...localCredentials,
    AWS_SESSION_TOKEN: 'local',
    AWS_REGION: region,
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_LAMBDA_FUNCTION_NAME: 'bench',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '1024',
    AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint,
    AWS_ENDPOINT_URL_PINPOINT_SMS_VOICE_V2: sms.endpoint,
    NODE_EXTRA_CA_CERTS: proxy.certificate,
    HOME: folder,
    TABLE_NAME: table.tableName,
    SMS_ORIGINATION_IDENTITY: identity,
    SMS_CONFIGURATION_SET: configurationSet,
    REFUSED_TOKENS_PER_MINUTE: String(stageSettings.dev.refusedTokensPerAddressPerMinute),
    FORMS_PER_KEY_PER_DAY: String(stageSettings.dev.formsPerKeyPerDay),
  };
  const [runtimeFile, input] = [join(folder, 'runtime.cjs'), join(folder, 'functions.json')];
  writeFileSync(runtimeFile, runtime);
  const description = JSON.stringify(openApiDocument(await findContracts()));
  try {
    return await use({
      build: async (way, entries) => {
        const outdir = join(folder, way);
        const define = { OPEN_API_DOCUMENT: JSON.stringify(description) };
        await build({ ...ways[way], define, entryPoints: [...entries], outdir });
        return (entry) => join(outdir, basename(entry, '.ts') + ways[way].outExtension['.js']);
      },
      run: async (functions, times) => {
        writeFileSync(input, JSON.stringify({ functions, times }));
        const { stdout } = await promisify(execFile)(process.execPath, [runtimeFile, input], { env });
        return v.parse(v.pipe(v.string(), v.parseJson(), Times), stdout);
      },
    });
  } finally {
    await sms.close();
    proxy.close();
    rmSync(folder, { recursive: true });
  }
}
