import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../../infra/root.ts';
import { engineBinary } from '../../../infra/local/engine/engine-binary.ts';

const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  optionalDependencies: Record<string, string>;
};
const version = optionalDependencies['@dynoxide/linux-x64'];
const elsewhere =
  'start a DynamoDB, such as DynamoDB Local in a container, and set DYNAMODB_ENDPOINT to its address, for example http://localhost:8000.';

test.each(
  (['linux-x64', 'linux-arm64', 'darwin-arm64', 'darwin-x64', 'win32-x64'] as const).filter(
    (name) => name !== `${process.platform}-${process.arch}`,
  ),
)('where that of %s is missing, the line that installs it is told', (name) => {
  const [platform, arch] = name.split('-') as [NodeJS.Platform, NodeJS.Architecture];
  expect(() => engineBinary({ platform, arch })).toThrow(
    `The database engine for this platform, ${name}, is not installed: ` +
      `run "npm install --no-save @dynoxide/${name}@${version!}", or ${elsewhere}`,
  );
});

test('without an engine for the platform, one sentence says what to do', () => {
  expect(() => engineBinary({ platform: 'freebsd', arch: 'x64' })).toThrow(
    `There is no database engine for this platform, freebsd-x64: ${elsewhere}`,
  );
});
