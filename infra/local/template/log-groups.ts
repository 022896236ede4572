import { logicalIdOf } from '../intrinsics.ts';
import { accessLineOf } from '../logs/access-log.ts';
import type { LogGroups } from '../logs/logs.ts';
import type { ResourcesOf } from './resources.ts';

/** @throws LocalError for an access log whose format this machine does not know */
export function logGroupsOf(of: ResourcesOf): LogGroups {
  // The log group `/SalesPipeline-dev/api` is `api` here.
  const names = new Map(
    of('AWS::Logs::LogGroup').map(([id, { Properties }]) => [
      id,
      Properties.LogGroupName.split('/').at(-1) ?? id,
    ]),
  );
  const nameOf = (id: string) => names.get(id) ?? id;
  const accessLog = of('AWS::ApiGateway::Stage')[0]?.[1].Properties.AccessLogSetting;
  return {
    ofFunctions: new Map(
      of('AWS::Lambda::Function').map(([id, { Properties }]) => [
        id,
        nameOf(Properties.LoggingConfig?.LogGroup ?? id),
      ]),
    ),
    accessLog: accessLog && {
      group: nameOf(logicalIdOf(accessLog.DestinationArn)),
      lineOf: accessLineOf(accessLog.Format),
    },
  };
}
