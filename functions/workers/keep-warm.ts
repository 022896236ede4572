import { keepWarmWorker } from '../../shared/contract/keep-warm.ts';
import { keepWarm } from '../../shared/http/clients/keep-warm.ts';
import { settings } from '../../shared/http/outside/settings.ts';
import { work } from '../../shared/http/work.ts';

export const handler = work(keepWarmWorker, ({ report }) => keepWarm(settings.functionNames, report));
