import type { RuleTester } from 'oxlint/plugins-dev';

/** Rule of a plugin, and the view of a file that a rule gets. oxlint exports no names of these types. */
export type Rule = Parameters<RuleTester['run']>[1];
export type Context = Parameters<Extract<Rule, { create: unknown }>['create']>[0];
