import { CommanderError, type Command } from 'commander';
import type * as v from 'valibot';
import type { System } from '../../shared/core/system.ts';
import { AdminError } from './admin-error.ts';
import { parseOptions } from './options.ts';
import { chooseTarget, openTarget, type Target } from './target.ts';
import { type Caller, newConsumedCapacity } from '../../shared/ledger/index.ts';

/** What the command line needs of its surroundings: outputs, and the system. */
export interface Surroundings {
  /** Prints a result, to standard output. */
  print: (text: string) => void;
  /** Prints an error, to standard error. */
  complain: (text: string) => void;
  system: System;
}

/** A command's result, for a person and for a script. */
export interface Answer {
  text: string;
  json: object;
  /** Whether it found problems, so that the exit code is 1. */
  hasFindings?: boolean;
}

/** What a command works with. */
export interface Context extends Omit<Target, 'close'> {
  limits: Pick<Caller, 'deadline' | 'capacity'>;
  /** Epoch milliseconds. */
  now: number;
  system: System;
}

interface Definition<S extends v.GenericSchema> {
  name: string;
  summary: string;
  /** The rest of the help text. */
  details?: string;
  /** The command's own options. */
  options: readonly (readonly [flags: string, description: string])[];
  /** Its required options, for the help text. */
  usage: string;
  values: S;
  examples: readonly string[];
  run: (values: v.InferOutput<S>, context: Context) => Promise<Answer>;
}

/** How long a command may take, in milliseconds. */
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

/** Adds a command to a group. It checks all its options before the first call. */
export function addCommand<S extends v.GenericSchema>(
  group: Command,
  { name, summary, details, options, usage, values, examples, run }: Definition<S>,
  { print, system }: Surroundings,
): void {
  const command = group.command(name).summary(summary).usage(`(--stage STAGE | --local) ${usage} [options]`);
  command.description([`${summary}.`, ...(details === undefined ? [] : [details])].join('\n\n'));
  for (const [flags, description] of options) command.option(flags, description);
  command.addHelpText('after', withExamples(examples));
  command.allowExcessArguments().action(async () => {
    if (command.args.length > 0) {
      const words = command.args.join(' ');
      throw new AdminError(
        `What is meant by "${words}"? A value with spaces needs quotes; ${seeHelp(command)}.`,
      );
    }
    const typed = command.optsWithGlobals();
    const choice = chooseTarget(typed);
    const given = parseOptions(values, typed);
    const { close, ...target } = await openTarget(choice, system);
    try {
      const now = system.now();
      const limits = { deadline: now + timeout, capacity: newConsumedCapacity() };
      const { text, json, hasFindings = false } = await run(given, { ...target, limits, now, system });
      print(typed['json'] === true ? `${JSON.stringify(json)}\n` : text);
      // This only sets the exit code: everything is printed.
      if (hasFindings) throw new CommanderError(1, 'admin.findings', 'There are findings');
    } finally {
      close();
    }
  });
}
