import type { WorkerFunction } from '../../../../infra/functions.ts';
import { allSettings, getLead, submitForm, templateWith } from '../../../support/template/made-up-stack.ts';
import { workersOfEachKind } from '../../../support/template/workers-of-each-kind.ts';

/** Resources of the service of `prod` with an endpoint, an endpoint for keys, and these workers. */
export const watchedStack = ({
  settings = allSettings,
  workers = workersOfEachKind,
}: { settings?: Partial<typeof allSettings>; workers?: WorkerFunction[] } = {}) =>
  templateWith({ settings, operations: [getLead, submitForm], workers }).resources;
