import { testDeployed } from '../../deployed/test-deployed.ts';
import { leftOut } from './left-out.ts';

// Standard input ends with `npm run test:outside`, however that ends.
process.stdin.once('end', () => process.exit(1)).resume();

/** `npm run test:deployed`, without what the emulator cannot do. */
process.exit(await testDeployed(process.argv.slice(2), leftOut));
