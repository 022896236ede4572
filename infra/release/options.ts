import { parseArgs } from 'node:util';
import { argumentMistake } from '../argument-mistake.ts';
import { ReleaseError } from './release-error.ts';
import type { VersionWish } from './versions.ts';

export const usage = `Makes a release of what the changelog tells under "Unreleased". Nothing is committed.

  npm run release -- [X.Y.Z] [options]

  X.Y.Z         its version; by default the least that fits what changed in the API
  --breaking    it may break clients: "npm run check:api" tells how. It is a major version
  --judged      what "npm run check:api" cannot judge breaks no client: a person looked
  --help        this text
`;

/** @throws ReleaseError that names what is wrong */
export function parseOptions(args: string[]): VersionWish & { help: boolean } {
  const { values, positionals } = parse(args);
  const [version, ...more] = positionals;
  if (more.length > 0) throw new ReleaseError(`Say one version, not ${positionals.join(' and ')}.`);
  if (version !== undefined && !/^(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}$/.test(version))
    throw new ReleaseError(`"${version}" is no version: say it as 1.2.3.`);
  return { ...values, ...(version !== undefined && { version }) };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        breaking: { type: 'boolean', default: false },
        judged: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new ReleaseError(`${argumentMistake(error)}: "npm run release -- --help" lists the options.`);
  }
}
