import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';

/** A place in a bundle, as a stack names it. */
const place = /(file:\/\/\S+?\.mjs):(\d+):(\d+)/g;

/** A source map of esbuild, with the fields that Node.js' type wants. */
const SourceMapFile = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    version: v.number(),
    file: v.optional(v.string(), ''),
    sources: v.array(v.string()),
    sourcesContent: v.optional(v.array(v.string()), []),
    names: v.array(v.string()),
    mappings: v.string(),
    sourceRoot: v.optional(v.string(), ''),
  }),
);

/**
 * Text with the places of a bundle as places of its sources, such as the stack of an error. Node.js can do the same by itself. But
 * then Node.js reads the map of each file as it loads the file, which takes more than a third of the start of a function.
 */
export function withOriginalPlaces(text: string): string {
  const maps = new Map<string, SourceMap | undefined>();
  return text.replaceAll(place, (found, url: string, line: string, column: string) => {
    // A stack names one file many times.
    if (!maps.has(url)) maps.set(url, mapOf(url));
    const entry = maps.get(url)?.findEntry(Number(line) - 1, Number(column) - 1);
    return entry && 'originalSource' in entry
      ? `${entry.originalSource.replace(/^(\.\.\/)+/, '')}:${entry.originalLine + 1}:${entry.originalColumn + 1}`
      : found;
  });
}

/** Source map of a file. Its sources are relative to the repository's root, or to a folder there. Undefined if the file has no map. */
function mapOf(url: string): SourceMap | undefined {
  try {
    const [, path] = /\/\/# sourceMappingURL=(\S+)\s*$/.exec(readFileSync(fileURLToPath(url), 'utf8')) ?? [];
    return path === undefined
      ? undefined
      : new SourceMap(v.parse(SourceMapFile, readFileSync(new URL(path, url), 'utf8')));
  } catch {
    return undefined;
  }
}
