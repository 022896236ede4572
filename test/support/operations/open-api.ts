import type { TestedOperation } from './operation.ts';

export const operations: Record<string, TestedOperation> = {
  getOpenApi: {
    request: () => ({}),
  },
};
