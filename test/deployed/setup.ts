import { skipLeftOut } from '../support/vitest/skip-left-out.ts';
import { leftOut } from './left-out.ts';
import { withoutSms } from './no-sms.ts';

skipLeftOut(leftOut);
globalThis.fetch = withoutSms(globalThis.fetch);
