import { CommanderError, type Command } from 'commander';
import type * as v from 'valibot';
import { newConsumedCapacity } from '../../shared/ledger/internal/consumed-capacity.ts';
import type { System } from '../../shared/core/system.ts';
import type { Caller } from '../../shared/ledger/internal/caller.ts';
import { AdminError } from './admin-error.ts';
import { parseOptions } from './options.ts';
import { chooseTarget, openTarget, type Target } from './target.ts';

/** Where the command line prints, and what makes its runs unrepeatable. */
export interface Surroundings {
  /** What was asked for. */
  print: (text: string) => void;
  /** What went wrong. */
  complain: (text: string) => void;
  system: System;
}

/** What a command found or did, for a person and for a script. */
export interface Answer {
  text: string;
  json: object;
  /** The exit code is then 1: what the command looked for is there. */
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
  /** What more there is to know. */
  details?: string;
  /** Each option of its own, and what it means. */
  options: readonly (readonly [flags: string, description: string])[];
  /** The options of its own that must be given. */
  usage: string;
  values: S;
  examples: readonly string[];
  run: (values: v.InferOutput<S>, context: Context) => Promise<Answer>;
}

/** How long a command tries, in milliseconds. */
const patience = 10_000;

export const commandLine = 'npm run admin --';

/** Where a command says how it is used. */
export function seeHelp(command: Command): string {
  const names: string[] = [];
  for (let at: Command | null = command; at; at = at.parent) names.unshift(at.name());
  return `"${names.join(' ')} --help" shows how it is used`;
}

/** The examples at the end of a help text. */
export const withExamples = (examples: readonly string[]) =>
  ['', 'Examples:', ...examples.map((example) => `  ${commandLine} ${example}`)].join('\n');

/** Adds a command to a group. All that was typed is checked before the first call is made. */
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
      const limits = { deadline: now + patience, capacity: newConsumedCapacity() };
      const { text, json, hasFindings = false } = await run(given, { ...target, limits, now, system });
      print(typed['json'] === true ? `${JSON.stringify(json)}\n` : text);
      // All that there is to say was printed.
      if (hasFindings) throw new CommanderError(1, 'admin.findings', 'There are findings');
    } finally {
      close();
    }
  });
}
