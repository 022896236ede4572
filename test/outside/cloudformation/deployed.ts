import { testDeployed } from '../../deployed/test-deployed.ts';
import { leftOut } from './left-out.ts';

// Standard input ends with `npm run test:outside`, however that ends.
process.stdin.once('end', () => process.exit(1)).resume();

/** Runs `npm run test:deployed`, without the tests that need more than the emulator can do. */
process.exit(await testDeployed(process.argv.slice(2), leftOut));
