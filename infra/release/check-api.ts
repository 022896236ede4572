import { findApiChanges } from './api-changes.ts';
import { printErrors } from './print-errors.ts';
import { reportChanges } from './report.ts';

/** `npm run check:api`. Fails where the API breaks a client of the last release, or where nothing can tell. */
await printErrors(async () => {
  const { since, changes } = await findApiChanges();
  process.stdout.write(reportChanges(changes, since));
  if (changes.breaks.length + changes.unjudged.length === 0) return 0;
  process.stdout.write('\nUndo what breaks clients, or release it as it is: CONTRIBUTING.md, "Release".\n');
  return 1;
});
