import { worker } from './worker.ts';

/**
 * Calls the API's functions, so that Lambda keeps an environment of each. AWS does not say how long Lambda keeps an
 * idle environment, so this is no guarantee. Five minutes are a usual interval. Half the interval would cost twice as
 * much: docs/operations.md, To check on the first real deployment.
 * https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html
 */
export const keepWarmWorker = worker({
  name: 'keep-warm',
  summary: 'Calls each function of the API, so that Lambda keeps one environment of it ready',
  breaks:
    'Until it runs again, the first request to an operation that nobody used for a while waits for a cold start.',
  on: { schedule: { everyMinutes: 5 } },
  access: 'none',
  uses: 'functions',
  timeoutSeconds: 60,
  retries: 2,
  deadLetters: { keptDays: 14 },
});
