import type { Contracts } from '../../infra/functions.ts';
import { dollarsFor, prices, type Price } from '../../infra/prices.ts';
import { failureReasons, failures } from '../../shared/contract/errors.ts';
import { metrics } from '../../shared/http/metrics.ts';

/** What a stage has whatever its traffic: cost.test.ts counts it in the template. */
export const ofStage = {
  /** Metrics that alarms read: one of several counts as often. */
  alarmMetrics: 8,
  dashboards: 1,
  /** Of the stack's own web ACL, the group of managed rules as one. */
  webAclRules: 3,
} as const;

/**
 * How many metrics log lines make: one for each value of a dimension. Those of operations are left out: they are there in
 * the hours in which an operation fails.
 */
export function customMetrics({ operations }: Pick<Contracts, 'operations'>): {
  usual: number;
  most: number;
} {
  // The one of the metric filter is there too.
  const plain = Object.values(metrics).filter((metric) => !('by' in metric)).length + 1;
  const statuses = new Set([
    ...operations.flatMap(({ endpoint: { responses, cache } }) => [
      ...Object.keys(responses),
      ...(cache ? ['304'] : []),
    ]),
    ...Object.values(failures).map(({ status }) => String(status)),
  ]);
  const texts = ['SENT', ...failureReasons];
  return { usual: plain + usualStatuses + 1, most: plain + statuses.size + texts.length };
}

/** 200, 201, 400, 401, 404 and 409. */
const usualStatuses = 6;

/** A line of the bill of a month. */
export interface FixedCost {
  what: string;
  count: number;
  dollars: number;
  isUnusual?: boolean;
}

export function fixedCosts(contracts: Pick<Contracts, 'operations'>): FixedCost[] {
  const { cloudWatch, waf } = prices;
  const { usual, most } = customMetrics(contracts);
  const { alarmMetrics, dashboards, webAclRules } = ofStage;
  const line = (what: string, price: Price, count: number) => ({
    what,
    count,
    dollars: dollarsFor(price, count),
  });
  return [
    line('Metrics that alarms read', cloudWatch.alarms, alarmMetrics),
    line('Dashboard', cloudWatch.dashboards, dashboards),
    line('Metrics made of the logs, on a usual day', cloudWatch.customMetrics, usual),
    {
      ...line('… and at most, with every status and outcome at every hour', cloudWatch.customMetrics, most),
      isUnusual: true,
    },
    line('Web ACL of the stack (`prod`)', waf.webAcls, 1),
    line('… and its rules', waf.rules, webAclRules),
  ];
}

/** What they come to on a usual day. */
export const usualSum = (costs: readonly FixedCost[]) =>
  costs.reduce((sum, { dollars, isUnusual = false }) => sum + (isUnusual ? 0 : dollars), 0);
