/** Totals of a run. */
export class Figures {
  episodes = 0;
  calls = 0;
  commits = 0;
  conflicts = 0;
  refusals = 0;
  deaths = 0;
  sms = 0;
  notifications = 0;
  redeliveries = 0;
  deadLetters = 0;
  readonly requests = new Map<string, Map<number, number>>();

  countResponse(operation: string, status: number): void {
    const byStatus = this.requests.get(operation) ?? new Map<number, number>();
    this.requests.set(operation, byStatus.set(status, (byStatus.get(status) ?? 0) + 1));
  }

  get responses(): number {
    return [...this.requests.values()].reduce(
      (sum, byStatus) => sum + [...byStatus.values()].reduce((one, other) => one + other, 0),
      0,
    );
  }

  /** One line per total. */
  lines(seconds: number): string[] {
    const requests = [...this.requests]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([operation, byStatus]) => {
        const statuses = [...byStatus].sort(([one], [other]) => one - other);
        return `  ${operation.padEnd(34)}${statuses.map(([status, count]) => `${status}: ${count}`).join(', ')}`;
      });
    const perCall = this.calls === 0 ? 0 : (seconds * 1e6) / this.calls;
    return [
      `Requests            ${this.responses}`,
      ...requests,
      `Episodes            ${this.episodes}`,
      `Operations          ${this.calls}`,
      `Committed writes    ${this.commits}`,
      `Conflicts           ${this.conflicts}`,
      `Refused conditions  ${this.refusals}`,
      `Deaths              ${this.deaths}`,
      `SMS                 ${this.sms}`,
      `Notifications       ${this.notifications}`,
      `Redeliveries        ${this.redeliveries}`,
      `Dead letters        ${this.deadLetters}`,
      `Seconds             ${seconds.toFixed(1)} (${perCall.toFixed(0)} µs an operation)`,
    ];
  }
}
