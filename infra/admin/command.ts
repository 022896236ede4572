import { CommanderError, type Command } from 'commander';
import type * as v from 'valibot';
import type { System } from '../../shared/core/system.ts';
import { AdminError } from './admin-error.ts';
import { parseOptions } from './values.ts';
import { printed } from './output.ts';
import { chooseTarget, openTarget, type Target } from './target.ts';
import { type Principal, newConsumedCapacity } from '../../shared/ledger/index.ts';

/** Effects of the command line, which tests replace. */
export interface CommandDependencies {
  /** Prints a result to standard output. */
  print: (text: string) => void;
  /** Prints an error or the progress of a long command to standard error. */
  printError: (text: string) => void;
  system: System;
  /** Calls `stop` on Ctrl-C instead of ending the process. Returns a function that restores the default. */
  onInterrupt?: (stop: () => void) => () => void;
}

/** A command's result, for people and for scripts. */
export interface CommandResult {
  /** Lines without line breaks. */
  lines: readonly string[];
  json: object;
  /** True if the command found problems: the exit code is then 1. */
  hasFindings?: boolean;
}

type Limits = Pick<Principal, 'deadline' | 'capacity'>;

/** Table, limits and system of one run of a command. */
export interface CommandContext extends Omit<Target, 'close'> {
  /** Returns limits that start now: for a few calls, or for the next part of a long command. */
  freshLimits: () => Limits;
  /** Start of the command, in epoch milliseconds. */
  now: number;
  system: System;
  /** Prints a line about the progress of a long command: see `progressOf`. */
  progress: (line: string) => void;
  /**
   * Aborted on Ctrl-C where the command `isLong`. The command then stops cleanly and prints how far it came.
   */
  signal: AbortSignal;
}

/** Name of a command and its words, for the command line and the help. */
interface Synopsis {
  name: string;
  summary: string;
  /** Rest of the help text, after the summary. */
  details?: string;
  /** Positional arguments: the value of `<file>` is `file`. Messages call it FILE. */
  arguments?: readonly (readonly [flags: string, description: string])[];
  /** The command's own options. A `repeated` option has an array of all typed values. */
  options: readonly (readonly [flags: string, description: string, more?: 'repeated'])[];
  /** Arguments and required options, for the help text. */
  usage: string;
  examples: readonly string[];
}

interface Definition<S extends v.GenericSchema> extends Synopsis {
  /** True if Ctrl-C aborts `CommandContext.signal` instead of ending the process. */
  isLong?: boolean;
  /** Options that choose the table, for the help text. */
  tables?: string;
  values: S;
  run: (values: v.InferOutput<S>, context: CommandContext) => Promise<CommandResult>;
}

/** Milliseconds for a command, or for one part of a long command. */
const timeout = 10_000;

export const commandLine = 'npm run admin --';

/** A sentence that points to a command's help. */
export function seeHelp(command: Command): string {
  const names: string[] = [];
  for (let at: Command | null = command; at; at = at.parent) names.unshift(at.name());
  return `"${names.join(' ')} --help" shows how it is used`;
}

export const withExamples = (examples: readonly string[]) =>
  ['', 'Examples:', ...examples.map((example) => `  ${commandLine} ${example}`)].join('\n');

/** A command of a group, which checks its arguments and options before the first call. */
export type AddCommand = (group: Command, dependencies: CommandDependencies) => void;

export const defineCommand =
  <S extends v.GenericSchema>(definition: Definition<S>): AddCommand =>
  (group, dependencies) => {
    addCommand(group, definition, dependencies);
  };

/** Commands with a common first word. */
export interface CommandGroup {
  name: string;
  description: string;
  commands: readonly AddCommand[];
  examples: readonly string[];
}

/** Adds a command that works on a table. */
export function addCommand<S extends v.GenericSchema>(
  group: Command,
  definition: Definition<S>,
  dependencies: CommandDependencies,
): void {
  const { values, run, isLong = false, tables = '(--stage STAGE | --local)', usage } = definition;
  const { printError, system, onInterrupt } = dependencies;
  const synopsis = { ...definition, usage: `${tables} ${usage}`.trim() };
  addPlainCommand(group, synopsis, dependencies, async (typed, names) => {
    const choice = chooseTarget(typed);
    const given = parseOptions(values, typed, names);
    const { close, ...target } = await openTarget(choice, system);
    const stop = new AbortController();
    const { signal } = stop;
    const abort = () => {
      stop.abort(new AdminError('The command was stopped.'));
    };
    const undo = isLong ? onInterrupt?.(abort) : undefined;
    const freshLimits = () => ({ deadline: system.now() + timeout, capacity: newConsumedCapacity() });
    const progress = (line: string) => {
      printError(printed([line]));
    };
    try {
      return await run(given, { ...target, freshLimits, now: system.now(), system, progress, signal });
    } finally {
      undo?.();
      close();
    }
  });
}

/**
 * Adds a command, and prints what `run` returns. `run` gets all that was typed, also the options that choose
 * a table, and the names of the positional arguments.
 */
export function addPlainCommand(
  group: Command,
  synopsis: Synopsis,
  { print }: Pick<CommandDependencies, 'print'>,
  run: (typed: Readonly<Record<string, unknown>>, names: readonly string[]) => Promise<CommandResult>,
): void {
  const command = describe(group, synopsis);
  const names = command.registeredArguments.map((argument) => argument.name());
  command.allowExcessArguments().action(async () => {
    const excess = command.args.slice(names.length);
    if (excess.length > 0) {
      throw new AdminError(
        `Too many values: "${excess.join(' ')}". A value with spaces needs quotes; ${seeHelp(command)}.`,
      );
    }
    const typed = {
      ...command.optsWithGlobals(),
      ...Object.fromEntries(names.map((name, at) => [name, command.args[at]])),
    };
    const { lines, json, hasFindings } = await run(typed, names);
    print(printed(command.optsWithGlobals()['json'] === true ? [JSON.stringify(json)] : lines));
    // Commander's error only sets the exit code: everything is printed already.
    if (hasFindings) throw new CommanderError(1, 'admin.findings', 'There are findings');
  });
}

function describe(
  group: Command,
  { name, summary, details, arguments: words = [], options, usage, examples }: Synopsis,
): Command {
  const command = group.command(name).summary(summary).usage(`${usage} [options]`);
  command.description([`${summary}.`, ...(details === undefined ? [] : [details])].join('\n\n'));
  for (const [flags, description] of words) command.argument(flags, description);
  for (const [flags, description, more] of options) {
    if (more === undefined) command.option(flags, description);
    else
      command.option<string[] | undefined>(flags, description, (value, before) => [...(before ?? []), value]);
  }
  return command.addHelpText('after', withExamples(examples));
}
