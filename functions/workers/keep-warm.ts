import { keepWarmWorker } from '../../shared/contract/keep-warm.ts';
import { keepWarm } from '../../shared/http/keep-warm.ts';
import { work } from '../../shared/http/work.ts';

/** Names of the functions: their common prefix, and the rest of each name. */
const { FUNCTION_PREFIX: prefix = '', FUNCTIONS: rests = '' } = process.env;
const names = rests.split(' ').map((rest) => `${prefix}${rest}`);

export const handler = work(keepWarmWorker, ({ report }) => keepWarm(names, report));
