const asks = 'No tool asks the client for something before it answers: each is one request of the API.';

/**
 * Scenarios that a server with tools alone cannot pass, each with the reason. Of some scenarios only these checks fail.
 * A scenario or a check that passes nevertheless fails the part, so that it leaves this list.
 */
export const expectedFailures: readonly { reason: string; scenarios: RegExp; checks?: RegExp }[] = [
  { reason: 'There are no prompts.', scenarios: /^prompts-/ },
  { reason: 'There are no resources.', scenarios: /^resources-/ },
  { reason: 'Nothing is completed as one types.', scenarios: /^completion-complete$/ },
  { reason: 'There is no log for clients.', scenarios: /^(logging-set-level|tools-call-with-logging)$/ },
  { reason: 'A call takes a moment, and has no progress to tell.', scenarios: /^tools-call-with-progress$/ },
  { reason: asks, scenarios: /^(tools-call-(sampling|elicitation)|elicitation-|input-required-)/ },
  { reason: 'An extension: there are no tasks.', scenarios: /^tasks-/ },
  { reason: 'No argument of a tool is in a header.', scenarios: /^http-custom-header-server-validation$/ },
  { reason: 'It asks for a tool whose schema has all of JSON Schema.', scenarios: /^json-schema-2020-12$/ },
  {
    reason: 'It asks for hints of lists of prompts and resources, too.',
    scenarios: /^caching$/,
    checks: /^sep-2549-(prompts|resources)-/,
  },
  {
    reason: `It asks for tools that ask the client or write a log, and finds none. ${asks}`,
    scenarios: /^server-stateless$/,
    checks:
      /^sep-2575-(server-rejects-undeclared-capability|missing-capability-http-400|http-server-no-independent-requests-on-stream|server-no-log-without-loglevel)$/,
  },
];

/**
 * Scenarios that call tools by names of the suite. The suite's own tools are served for them, by the code that serves
 * the service's tools.
 */
export const needTools = /^tools-call-(simple-text|image|audio|embedded-resource|mixed-content|error)$/;
