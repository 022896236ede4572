import { inject } from 'vitest';
import type { LeftOut } from '../support/left-out.ts';
import { skipLeftOut } from '../support/skip-left-out.ts';
import { withoutSms } from './no-sms.ts';

declare module 'vitest' {
  interface ProvidedContext {
    leftOut: LeftOut[];
  }
}

skipLeftOut(inject('leftOut'));
globalThis.fetch = withoutSms(globalThis.fetch);
