import { parseArgs } from 'node:util';
import { argumentMistake } from '../argument-mistake.ts';

/** An error that the person who releases can fix: they see its message alone. */
export class ReleaseError extends Error {}

export interface VersionOptions {
  /** Version to release, such as `1.2.0`. Undefined for the lowest version that fits. */
  version?: string;
  /** True if the person knows that the release breaks clients. */
  breaking: boolean;
  /** True if a person looked at the changes that no tool is sure of, and found that they break no client. */
  judged: boolean;
}

export const usage = `Releases the entries under "Unreleased" of CHANGELOG.md. Commits nothing.

  npm run release -- [X.Y.Z] [options]

  X.Y.Z         the version. oasdiff, which needs Go, chooses the lowest that fits the changes of the API
  --breaking    the release may break clients: it is a major version
  --judged      you looked at the changes that oasdiff is not sure of, or at all without oasdiff:
                they break no client
  --help        this text
`;

/** @throws ReleaseError that names the mistake */
export function parseOptions(args: string[]): VersionOptions & { help: boolean } {
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
