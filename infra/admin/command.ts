import { CommanderError, type Command } from 'commander';
import type * as v from 'valibot';
import type { System } from '../../shared/core/system.ts';
import { AdminError } from './admin-error.ts';
import { parseOptions } from './options.ts';
import { printed } from './output.ts';
import { chooseTarget, openTarget, type Target } from './target.ts';
import { type Caller, newConsumedCapacity } from '../../shared/ledger/index.ts';

/** What the command line needs of its surroundings: outputs, and the system. */
export interface Surroundings {
  /** Prints a result, to standard output. */
  print: (text: string) => void;
  /** Prints an error, or how far a long command has come, to standard error. */
  complain: (text: string) => void;
  system: System;
  /** Calls `stop` on Ctrl-C from now on, in place of ending the process. Returns how to undo that. */
  onInterrupt?: (stop: () => void) => () => void;
}

/** A command's result, for a person and for a script. */
export interface Answer {
  /** Without line breaks. */
  lines: readonly string[];
  json: object;
  /** Whether it found problems, so that the exit code is 1. */
  hasFindings?: boolean;
}

type Limits = Pick<Caller, 'deadline' | 'capacity'>;

/** What a command works with. */
export interface Context extends Omit<Target, 'close'> {
  /** For a command that takes a few calls: what it may take in all. */
  limits: Limits;
  /** New limits, which begin now, for each part of a long command. */
  limitsNow: () => Limits;
  /** Epoch milliseconds, when the command began. */
  now: number;
  system: System;
  /** Tells a line of how far a long command has come, at once: see `Progress`. */
  progress: (line: string) => void;
  /** Aborted on Ctrl-C where the command `isLong`: it then ends in good order, and says how far it came. */
  signal: AbortSignal;
}

interface Definition<S extends v.GenericSchema> {
  name: string;
  summary: string;
  /** The rest of the help text. */
  details?: string;
  /** What is typed without an option's name, such as `<file>`: its value is `file`. Messages call it FILE. */
  arguments?: readonly (readonly [flags: string, description: string])[];
  /** The command's own options. The value of one that may be `repeated` is an array of all that were typed, if any. */
  options: readonly (readonly [flags: string, description: string, more?: 'repeated'])[];
  /** Its arguments and required options, for the help text. */
  usage: string;
  /** Whether Ctrl-C is to abort `Context.signal`, and not end the process. */
  isLong?: boolean;
  values: S;
  examples: readonly string[];
  run: (values: v.InferOutput<S>, context: Context) => Promise<Answer>;
}

/** How long a command may take, or a part of a long one, in milliseconds. */
const timeout = 10_000;

export const commandLine = 'npm run admin --';

/** Points to a command's help. */
export function seeHelp(command: Command): string {
  const names: string[] = [];
  for (let at: Command | null = command; at; at = at.parent) names.unshift(at.name());
  return `"${names.join(' ')} --help" shows how it is used`;
}

/** The examples at the end of a help text. */
export const withExamples = (examples: readonly string[]) =>
  ['', 'Examples:', ...examples.map((example) => `  ${commandLine} ${example}`)].join('\n');

/** Adds a command to a group. It checks all that was typed before the first call. */
export function addCommand<S extends v.GenericSchema>(
  group: Command,
  definition: Definition<S>,
  surroundings: Surroundings,
): void {
  const { values, run, isLong = false } = definition;
  const { print, complain, system, onInterrupt } = surroundings;
  const command = describe(group, definition);
  const names = command.registeredArguments.map((argument) => argument.name());
  command.allowExcessArguments().action(async () => {
    const excess = command.args.slice(names.length);
    if (excess.length > 0) {
      throw new AdminError(
        `What is meant by "${excess.join(' ')}"? A value with spaces needs quotes; ${seeHelp(command)}.`,
      );
    }
    const typed = {
      ...command.optsWithGlobals(),
      ...Object.fromEntries(names.map((name, at) => [name, command.args[at]])),
    };
    const choice = chooseTarget(typed);
    const given = parseOptions(values, typed, names);
    const { close, ...target } = await openTarget(choice, system);
    const stop = new AbortController();
    const undo = isLong
      ? onInterrupt?.(() => {
          stop.abort();
        })
      : undefined;
    try {
      const limitsNow = () => ({ deadline: system.now() + timeout, capacity: newConsumedCapacity() });
      const {
        lines,
        json,
        hasFindings = false,
      } = await run(given, {
        ...target,
        limits: limitsNow(),
        limitsNow,
        now: system.now(),
        system,
        progress: (line) => {
          complain(printed([line]));
        },
        signal: stop.signal,
      });
      print(printed(command.optsWithGlobals()['json'] === true ? [JSON.stringify(json)] : lines));
      // This only sets the exit code: everything is printed.
      if (hasFindings) throw new CommanderError(1, 'admin.findings', 'There are findings');
    } finally {
      undo?.();
      close();
    }
  });
}

/** The command with its arguments, options and help text. */
function describe<S extends v.GenericSchema>(
  group: Command,
  { name, summary, details, arguments: words = [], options, usage, examples }: Definition<S>,
): Command {
  const command = group.command(name).summary(summary).usage(`(--stage STAGE | --local) ${usage} [options]`);
  command.description([`${summary}.`, ...(details === undefined ? [] : [details])].join('\n\n'));
  for (const [flags, description] of words) command.argument(flags, description);
  for (const [flags, description, more] of options) {
    if (more === undefined) command.option(flags, description);
    else
      command.option<string[] | undefined>(flags, description, (value, before) => [...(before ?? []), value]);
  }
  return command.addHelpText('after', withExamples(examples));
}
