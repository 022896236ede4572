import { testDeployed } from './test-deployed.ts';

/** `npm run test:deployed`. */
process.exitCode = await testDeployed(process.argv.slice(2));
