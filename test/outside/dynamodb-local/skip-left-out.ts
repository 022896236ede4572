import { skipLeftOut } from '../../support/vitest/skip-left-out.ts';
import { leftOut } from './left-out.ts';

skipLeftOut(leftOut);
