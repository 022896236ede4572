import { realSystem } from '../../shared/core/system.ts';
import { onInterrupt } from '../interrupt.ts';
import { runAdmin } from './run-admin.ts';

// The reader of the output closed the pipe, as `head` does.
process.stdout.on('error', () => process.exit());

/** Runs `npm run admin`. */
process.exitCode = await runAdmin(process.argv.slice(2), {
  print: (text) => process.stdout.write(text),
  printError: (text) => process.stderr.write(text),
  system: realSystem,
  onInterrupt: (stop) => onInterrupt(process, { stop, end: () => process.exit(130), now: Date.now }),
});
