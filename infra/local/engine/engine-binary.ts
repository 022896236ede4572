import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import * as v from 'valibot';
import { root } from '../../root.ts';
import { LocalError } from '../local-error.ts';
import { sampleEndpoint } from './dynamodb-endpoint.ts';

/** Platforms of Dynoxide, each in its own package. The lock file has only the first. */
const published = ['linux-x64', 'linux-arm64', 'darwin-arm64', 'darwin-x64', 'win32-x64'];

/** The part of `process` that names the platform. */
export type HostPlatform = Pick<NodeJS.Process, 'platform' | 'arch'>;

/**
 * Path of Dynoxide's binary for this platform.
 * @throws LocalError if there is none, or none is installed
 */
export function engineBinary({ platform, arch }: HostPlatform = process): string {
  const name = `${platform}-${arch}`;
  const elsewhere = `start a DynamoDB, such as DynamoDB Local in a container, and set DYNAMODB_ENDPOINT to its address, for example ${sampleEndpoint}.`;
  if (!published.includes(name)) {
    throw new LocalError(`There is no database engine for this platform, ${name}: ${elsewhere}`);
  }
  try {
    const program = platform === 'win32' ? 'dynoxide.exe' : 'dynoxide';
    return createRequire(import.meta.url).resolve(`@dynoxide/${name}/${program}`);
  } catch {
    const install = `npm install --no-save @dynoxide/${name}@${version()}`;
    throw new LocalError(
      `The database engine for this platform, ${name}, is not installed: run "${install}", or ${elsewhere}`,
    );
  }
}

/** Version of all packages, taken from the first in package.json. */
function version(): string {
  const Package = v.object({ optionalDependencies: v.object({ '@dynoxide/linux-x64': v.string() }) });
  const file = readFileSync(join(root, 'package.json'), 'utf8');
  return v.parse(v.pipe(v.string(), v.parseJson(), Package), file).optionalDependencies[
    '@dynoxide/linux-x64'
  ];
}
