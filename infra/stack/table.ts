import {
  AttributeType,
  Billing,
  ProjectionType,
  StreamViewType,
  TableV2,
  type GlobalSecondaryIndexPropsV2,
} from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import { dueIndex, keyNamesOf, listIndexes, searchIndexes } from '../../shared/ledger/index.ts';
import type { StageSettings } from './settings-schema.ts';
import { tableNameOf } from './resource-names.ts';
import type { Stage } from './stage.ts';

interface Props {
  stage: Stage;
  settings: Pick<StageSettings, 'like' | 'tableName' | 'maxWriteRequestUnits'>;
}

/**
 * The one table, which holds every organization's ledger:
 *
 * - It is billed on demand, up to a maximum of write units a second. An index could have its own maximum, but
 *   the indexes have none: if an index refuses a write, the table refuses it, too.
 *   https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/on-demand-capacity-mode-max-throughput.html
 * - Its stream has new and old images.
 * - DynamoDB deletes items after their `expiresAtSecond`.
 * - It can be restored to any second of the last 35 days.
 * - It cannot be deleted, except in a stage like `dev`.
 *
 * Keys and indexes are final: CloudFormation adds one index per deployment, and refuses to replace a table with
 * a given name. test/infra/stack/table.test.ts says what to do instead.
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-properties-name.html
 */
export class LedgerTable extends TableV2 {
  constructor(scope: Construct, { stage, settings: { like, tableName, maxWriteRequestUnits } }: Props) {
    // A table of another name has another logical id, so it is another resource. So the stack leaves the
    // previous one behind, and imports the other.
    super(scope, tableName === tableNameOf(stage) ? 'Table' : `Table-${tableName}`, {
      tableName,
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      sortKey: { name: 'sk', type: AttributeType.STRING },
      billing: Billing.onDemand({ maxWriteRequestUnits }),
      dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES,
      timeToLiveAttribute: 'expiresAtSecond',
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: like !== 'dev',
      globalSecondaryIndexes: indexes,
    });
  }
}

const index = (
  indexName: string,
  sortType: AttributeType,
  projectionType = ProjectionType.ALL,
): GlobalSecondaryIndexPropsV2 => {
  const { pkName, skName } = keyNamesOf(indexName);
  return {
    indexName,
    partitionKey: { name: pkName, type: AttributeType.STRING },
    sortKey: { name: skName, type: sortType },
    projectionType,
  };
};

const indexes = [
  ...listIndexes.map((name) => index(name, AttributeType.NUMBER)),
  ...searchIndexes.map((name) => index(name, AttributeType.STRING)),
  index(dueIndex, AttributeType.STRING, ProjectionType.KEYS_ONLY),
];
