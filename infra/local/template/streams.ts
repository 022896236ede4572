import { LocalError } from '../local-error.ts';
import { logicalIdOf } from '../arns.ts';
import { allows, type Statement } from '../role.ts';
import type { FilterPattern } from './filter-pattern.ts';
import type { ResourcesOf } from './resources.ts';

/** Mapping of the records of a table's stream to a function. */
export interface TableStream {
  /** Name of the table. */
  table: string;
  functionName: string;
  /** Pattern that a record must match. */
  pattern: FilterPattern;
  /** Most records of one call. */
  batchSize: number;
  /** Retries of a failed batch, before it is halved. */
  retries: number;
  /** ARN of the queue for what failed at every attempt. */
  deadLetters: string;
}

/** Operations that Lambda needs to read a stream: https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html */
const reading = ['DescribeStream', 'GetRecords', 'GetShardIterator'];

/** @throws LocalError if a stream is of no table, or the function's role does not allow to read it */
export function streamsOf(
  of: ResourcesOf,
  roleOf: (functionName: string) => readonly Statement[],
): TableStream[] {
  const tables = new Map(
    of('AWS::DynamoDB::GlobalTable').map(([id, { Properties }]) => [`${id}.StreamArn`, Properties.TableName]),
  );
  return of('AWS::Lambda::EventSourceMapping').flatMap(([name, { Properties }]) => {
    if (!('FilterCriteria' in Properties)) return [];
    const { EventSourceArn, FilterCriteria, BatchSize, MaximumRetryAttempts, DestinationConfig } = Properties;
    const table = tables.get(EventSourceArn);
    if (table === undefined)
      throw new LocalError(`${name} is of ${EventSourceArn}, which is no table's stream`);
    const functionName = logicalIdOf(Properties.FunctionName);
    for (const operation of reading) {
      const action = `dynamodb:${operation}`;
      if (!allows(roleOf(functionName), { action, resource: EventSourceArn }))
        throw new LocalError(
          `The role of ${functionName} does not allow ${action} on the stream of ${table}`,
        );
    }
    const [{ Pattern: pattern }] = FilterCriteria.Filters;
    const deadLetters = DestinationConfig.OnFailure.Destination;
    const retries = MaximumRetryAttempts;
    return [{ table, functionName, pattern, batchSize: BatchSize, retries, deadLetters }];
  });
}
