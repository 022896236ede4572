import { localMessageOf } from '../../infra/local/local-error.ts';
import { requirePackages } from './packages.ts';

// What `npm run check:bench` begins with.
try {
  requirePackages();
} catch (error) {
  process.stderr.write(`${localMessageOf(error)}\n`);
  process.exitCode = 1;
}
