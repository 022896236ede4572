import { serveSiteFunction } from '../../shared/contract/site.ts';
import type { Bundle } from '../bundle/bundle.ts';
import { withFiles } from '../bundle/with-files.ts';
import type { Contracts } from '../functions.ts';
import { siteFiles } from './site-files.ts';

/** Adds the site's files to the code of its function. */
export function addSite(
  { publicFunctions }: Pick<Contracts, 'publicFunctions'>,
  code: Map<string, Bundle>,
): void {
  for (const { definition, entry } of publicFunctions) {
    const bundle = code.get(entry);
    if (definition === serveSiteFunction && bundle) code.set(entry, withFiles(bundle, siteFiles()));
  }
}
