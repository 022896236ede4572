import { setFlagsFromString } from 'node:v8';
import { realSystem } from '../../shared/core/system.ts';
import { onInterrupt } from '../interrupt.ts';
import { runAdmin } from './run-admin.ts';

// Commands that read a whole organization make much garbage. V8 would let it grow to several times what is in use.
setFlagsFromString('--semi-space-growth-factor=1 --heap-growing-percent=100');

// The reader of the output closed the pipe, as `head` does.
process.stdout.on('error', () => process.exit());

/** Runs `npm run admin`. */
process.exitCode = await runAdmin(process.argv.slice(2), {
  print: (text) => process.stdout.write(text),
  printError: (text) => process.stderr.write(text),
  system: realSystem,
  onInterrupt: (stop) => onInterrupt(process, { stop, end: () => process.exit(130), now: Date.now }),
});
