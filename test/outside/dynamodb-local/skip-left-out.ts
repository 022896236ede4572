import { skipLeftOut } from '../../support/skip-left-out.ts';
import { leftOut } from './left-out.ts';

skipLeftOut(leftOut);
