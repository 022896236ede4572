import { createInterface } from 'node:readline';
import { takeFolder } from '../../infra/local/data-folder.ts';

/**
 * A start that only takes its data folder. Tells its process number; at each line that it reads it takes the folder, or
 * gives it free again, and tells how that went.
 */
const [folder = ''] = process.argv.slice(2);
let release: (() => void) | undefined;
createInterface(process.stdin).on('line', () => {
  try {
    if (release) {
      release();
      release = undefined;
      process.stdout.write('released\n');
    } else {
      ({ release } = takeFolder(folder));
      process.stdout.write('taken\n');
    }
  } catch (error) {
    process.stdout.write(`${error instanceof Error ? error.message : String(error)}\n`);
  }
});
process.stdout.write(`${process.pid}\n`);
