/** Clock, randomness and sleep of a function. */
export { realSystem as system } from '../../core/system.ts';
