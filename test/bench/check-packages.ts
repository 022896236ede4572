import { localMessageOf } from '../../infra/local/local-error.ts';
import { requirePackages } from './packages.ts';

// First step of `npm run check:bench`.
try {
  requirePackages();
} catch (error) {
  process.stderr.write(`${localMessageOf(error)}\n`);
  process.exitCode = 1;
}
