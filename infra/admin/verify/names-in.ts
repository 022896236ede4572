import * as v from 'valibot';

/** The names of the fields that are wrong: the outermost alone, since what is within may be someone's data. */
export function namesIn(issues: [v.BaseIssue<unknown>, ...v.BaseIssue<unknown>[]]): string {
  return [...new Set(issues.map((issue) => v.getDotPath(issue)?.split('.')[0] ?? 'the item'))].join(', ');
}
