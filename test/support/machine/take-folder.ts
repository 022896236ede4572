import { createInterface } from 'node:readline';
import { takeFolder } from '../../../infra/local/data-folder.ts';

/**
 * A process that only takes its data folder, as `npm start` does. Prints its process id. At each line of
 * input it takes or releases the folder, and prints the result.
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
