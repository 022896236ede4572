import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import * as v from 'valibot';
import { root } from '../root.ts';
import type { Stage } from '../stack/stage.ts';
import { smsArn } from './arns.ts';
import { LocalError } from './local-error.ts';
import { readTemplate, type Template } from './template/template.ts';

/** Settings of a stage by name, as the CDK's `-c` passes them. */
export type Settings = Readonly<Record<string, string>>;

/**
 * Bundles the functions and synthesizes the stack into a folder, exactly as `cdk deploy` would. Runs in a
 * separate process, because a loaded module cannot be reloaded.
 *
 * @param settings replace the stage's own
 * @throws LocalError with the reason, such as the line where a function does not build; also if aborted
 */
export async function synthesize(
  folder: string,
  { settings, signal }: { settings?: Settings | undefined; signal?: AbortSignal | undefined } = {},
): Promise<Template> {
  const smsOriginationIdentity = `${smsArn}:phone-number/phone-local`;
  // The stand-in sends SMS even if the stage on AWS does not.
  const sms = settings?.['sms'] === 'false' ? {} : { sms: 'true', smsOriginationIdentity };
  await runApp(folder, 'dev', {
    // This machine has its own account and region: `pseudo`.
    settings: { ...sms, ...settings, account: '', region: '' },
    ...(signal && { signal }),
  });
  return readTemplate(folder);
}

/**
 * Runs the CDK app as the CDK's command line does, with the context of cdk.json and settings as `-c` passes
 * them.
 * @throws LocalError
 */
export async function runApp(
  folder: string,
  stage: Stage,
  {
    validate = false,
    signal,
    settings = {},
  }: { validate?: boolean; signal?: AbortSignal; settings?: Settings } = {},
): Promise<void> {
  const CdkFile = v.pipe(v.string(), v.parseJson(), v.object({ context: v.record(v.string(), v.unknown()) }));
  const { context } = v.parse(CdkFile, readFileSync(join(root, 'cdk.json'), 'utf8'));
  const CDK_CONTEXT_JSON = JSON.stringify({
    ...context,
    ...settings,
    stage,
    'aws:cdk:enable-asset-metadata': true,
    // Copying every bundle would take longer than the synthesis.
    'aws:cdk:disable-asset-staging': true,
  });
  const env = {
    ...process.env,
    CDK_OUTDIR: folder,
    CDK_CONTEXT_JSON,
    CDK_VALIDATION: String(validate),
    // esbuild ends before its memory matters: collecting its garbage took a fifth of its CPU time.
    GOGC: 'off',
    // Set by the entry of `npm start`, and by the tests.
    NODE_COMPILE_CACHE: getCompileCacheDir(),
  };
  try {
    await promisify(execFile)(process.execPath, [join(root, 'infra/app.ts')], {
      env,
      cwd: root,
      ...(signal && { signal }),
    });
  } catch (error) {
    throw new LocalError(
      error instanceof Error && 'stderr' in error ? printedMessageOf(String(error.stderr)) : String(error),
    );
  }
}

/**
 * Summarizes the app's output in one sentence: its own, or the line and message of an error that Node.js
 * printed.
 */
function printedMessageOf(printed: string): string {
  const [, file, line] = /^file:\/\/(\S+):(\d+)$/m.exec(printed) ?? [];
  const [, message] = /^\w*Error(?: \[\w+\])?: (.+)$/m.exec(printed) ?? [];
  if (file === undefined || message === undefined) return printed.trim();
  return `${relative(root, file)}:${line ?? ''} does not build: ${message}`;
}
