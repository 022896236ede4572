import { join } from 'node:path';
import * as v from 'valibot';
import { root } from '../functions.ts';
import type { ApiChange, ApiChanges } from './api-changes.ts';

/** Pinned: later versions need the module pb33f/go-yaml, which the public Go proxy does not serve. */
const module = 'github.com/oasdiff/oasdiff@v1.33.0';

/** Our severity of each check that oasdiff rates otherwise. docs/api-changes.md explains them. */
const severities = join(root, 'infra/release/oasdiff-levels.txt');

const Findings = v.array(
  v.object({
    text: v.string(),
    /** 3: breaks clients. 2: a person must look. 1: an addition. */
    level: v.picklist([1, 2, 3]),
    operationId: v.optional(v.string(), 'The API'),
  }),
);

/**
 * Compares two description files by oasdiff. `runGo` runs Go with arguments, and returns its standard output.
 *
 * @throws whatever `runGo` throws
 */
export async function compareByOasdiff(
  before: string,
  after: string,
  runGo: (args: string[]) => Promise<string>,
): Promise<ApiChanges> {
  const options = ['--format', 'json', '--severity-levels', severities, '--include-path-params'];
  const stdout = await runGo(['run', module, 'changelog', before, after, ...options]);
  const findings = v.parse(Findings, JSON.parse(stdout.trim() || '[]'));
  const ofLevel = (level: number): ApiChange[] => {
    const found = Map.groupBy(
      findings.filter((finding) => finding.level === level),
      ({ text }) => text,
    );
    return [...found].map(([text, group]) => ({ text, operations: group.map((each) => each.operationId) }));
  };
  return { breaks: ofLevel(3), unsure: ofLevel(2), additions: ofLevel(1) };
}
