/** Command of AWS's command line that switches the point-in-time recovery of a table on. */
export const switchOnRecovery = (tableName: string): string =>
  `aws dynamodb update-continuous-backups --table-name ${tableName} ` +
  '--point-in-time-recovery-specification PointInTimeRecoveryEnabled=true';
