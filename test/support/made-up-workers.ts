import { App } from 'aws-cdk-lib';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../infra/functions.ts';
import { SalesPipelineStack } from '../../infra/stack/sales-pipeline-stack.ts';
import { getLeadEndpoint } from '../../shared/contract/leads.ts';
import type { Worker } from '../../shared/contract/worker.ts';

/** A worker, and the text of the module that would be its function. */
export interface MadeUpWorker {
  worker: Worker;
  code?: string;
}

const nothing = 'export const handler = async () => undefined;';

/** Synthesizes a stack of these workers and one endpoint into a folder, as `infra/app.ts` does of the service's own. */
export function synthesizeWorkers(
  folder: string,
  workers: readonly MadeUpWorker[],
  { validate = false } = {},
): void {
  const { context } = JSON.parse(readFileSync(join(root, 'cdk.json'), 'utf8')) as { context: object };
  const app = new App({
    outdir: folder,
    context: {
      ...context,
      'aws:cdk:enable-asset-metadata': true,
      'aws:cdk:disable-asset-staging': true,
    },
    builtinCloudFormationValidation: validate,
  });
  const functions: { entry: string; code?: string | undefined }[] = [
    { entry: 'functions/authorizer/authorize.ts' },
    { entry: 'functions/leads/get-lead.ts' },
    ...workers.map(({ worker, code }) => ({ entry: entryOf(worker), code })),
  ];
  const bundles = functions.map(({ entry, code = nothing }, at) => {
    const bundle = { folder: join(folder, 'functions', String(at)), hash: String(at).padStart(64, '0') };
    mkdirSync(bundle.folder, { recursive: true });
    writeFileSync(join(bundle.folder, 'index.mjs'), code);
    return [entry, bundle] as const;
  });
  const operation = { operationId: 'getLead', endpoint: getLeadEndpoint, entry: functions[1]!.entry };
  new SalesPipelineStack(app, 'MadeUp', {
    stage: 'dev',
    smsFrom: undefined,
    contracts: {
      operations: [{ kind: 'endpoint', ...operation }],
      workers: workers.map(({ worker }) => ({ kind: 'worker', worker, entry: entryOf(worker) })),
    },
    code: new Map(bundles),
  });
  app.synth();
}

const entryOf = ({ name }: Worker) => `functions/workers/${name}.ts`;
