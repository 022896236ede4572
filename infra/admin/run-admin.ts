import { Command, CommanderError } from 'commander';
import { Failure } from '../../shared/core/failure.ts';
import { OtherFormat } from '../../shared/ledger/index.ts';
import { LocalError } from '../local/local-error.ts';
import { AdminError, isFromAws, messageOf } from './admin-error.ts';
import { commandLine, seeHelp, withExamples, type CommandDependencies } from './command.ts';
import { addDrill } from './drill/drill-command.ts';
import { leadCommands } from './leads/lead-commands.ts';
import { memberCommands } from './member-commands.ts';
import { numberCommands } from './number-commands.ts';
import { organizationCommands } from './organization-commands.ts';
import { printed } from './output.ts';
import { addPreflight } from './preflight/preflight-command.ts';
import { targetOptions } from './target.ts';
import { tokenCommands } from './token-commands.ts';

/**
 * Runs one command. Returns the exit code: 0, or 1 after findings or after an error, which it prints as a
 * sentence.
 */
export async function runAdmin(args: readonly string[], dependencies: CommandDependencies): Promise<number> {
  try {
    await program(dependencies).parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    // Help and findings are printed already.
    if (error instanceof CommanderError) return error.exitCode;
    dependencies.printError(printed(linesFor(error)));
    return 1;
  }
}

function program(dependencies: CommandDependencies): Command {
  const root = new Command(commandLine);
  root
    .description(
      'Organizations, their members, access tokens, phone numbers and leads, in a deployed stack or on this machine; ' +
        'what stops a deployment; and a drill of a restore.',
    )
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: dependencies.print,
      writeErr: dependencies.printError,
      outputError: () => undefined,
    });
  for (const [flags, description] of targetOptions) root.option(flags, description);
  root.option('--json', 'print one JSON object, for scripts (npm adds lines unless it is run with --silent)');
  for (const group of [organizationCommands, memberCommands, tokenCommands, numberCommands, leadCommands]) {
    const command = root.command(group.name).description(group.description);
    for (const add of group.commands) add(command, dependencies);
    command.addHelpText('after', withExamples(group.examples));
  }
  addPreflight(root, dependencies);
  addDrill(root, dependencies);
  root.addHelpText(
    'after',
    withExamples(['organization create --help', 'token list --local --organization 6H8EV880']),
  );
  throwMistakes(root);
  return root;
}

/** Makes a command and its subcommands report wrong arguments as an AdminError that points to the help. */
function throwMistakes(command: Command): void {
  command.exitOverride((error) => {
    if (error.code.startsWith('commander.help')) throw error;
    const mistake = error.message
      .replace(/^error: /, '')
      .replaceAll(/\s+/g, ' ')
      .replace(/\.$/, '');
    throw new AdminError(`${mistake.charAt(0).toUpperCase()}${mistake.slice(1)}: ${seeHelp(command)}.`);
  });
  for (const child of command.commands) throwMistakes(child);
}

/** A sentence for an expected error; the indented stack for any other. */
function linesFor(error: unknown): string[] {
  const sentence = sentenceFor(error);
  if (sentence !== undefined) return [sentence];
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return stack.split('\n').map((line, at) => (at === 0 ? line : `    ${line.trim()}`));
}

function sentenceFor(error: unknown): string | undefined {
  if (error instanceof AdminError || error instanceof LocalError || error instanceof OtherFormat) {
    return error.message;
  }
  if (error instanceof Failure && (error.kind === 'invalid' || error.kind === 'conflict'))
    return `${error.message}.`;
  if (error instanceof Failure && error.kind === 'unavailable') {
    return `DynamoDB did not carry it out in time (${messageOf(error.cause)}): nothing was changed, so try again.`;
  }
  if (error instanceof Failure && error.kind === 'internal') {
    return (
      `DynamoDB gave no answer (${messageOf(error.cause)}), so the change may or may not be stored. See "token list" or ` +
      '"number list" before you try again. An organization can be founded again without harm.'
    );
  }
  if (isFromAws(error)) return `AWS refused the call: ${error.name}: ${messageOf(error)}.`;
  return undefined;
}
