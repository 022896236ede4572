import { registerHooks } from 'node:module';

/** Modules with real dependencies, and their replacements. */
const replaced = new Map(
  [
    ['../../../shared/http/table.ts', './ledger-environment.ts'],
    ['../../../shared/http/sms-provider.ts', './sms-environment.ts'],
  ].map(([real = '', simulated = '']) => [
    new URL(real, import.meta.url).href,
    new URL(simulated, import.meta.url).href,
  ]),
);
const timers = new URL('./process-clock.ts', import.meta.url).href;

/** Makes functions load the replacements, and middy the virtual timers, from now on. */
export function redirectModules(): void {
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier === 'node:timers' && context.parentURL?.includes('/@middy/')) {
        return { url: timers, shortCircuit: true };
      }
      const resolved = next(specifier, context);
      const simulated = replaced.get(resolved.url);
      return simulated === undefined ? resolved : { ...resolved, url: simulated };
    },
  });
}
