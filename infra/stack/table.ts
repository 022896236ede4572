import { RemovalPolicy } from 'aws-cdk-lib';
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
import type { StageSettings } from './stage-settings.ts';
import type { Stage } from './stage.ts';

interface Props {
  stage: Stage;
  settings: Pick<StageSettings, 'maxWriteRequestUnits'>;
}

/**
 * Policy of a resource with data: in `dev` it is deleted with the stack. In other stages it outlives the
 * stack, unless the deployment that created it failed.
 */
export const removalPolicyOf = (stage: Stage) =>
  stage === 'dev' ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE;

/**
 * The one table, which holds every organization's ledger:
 *
 * - It is billed on demand, up to a maximum of write units a second.
 * - Its stream has new and old images.
 * - DynamoDB deletes items after their `expiresAtSecond`.
 * - It can be restored to any second of the last 35 days.
 * - Outside `dev` it cannot be deleted.
 *
 * The logical id, keys and indexes are final: CloudFormation adds one index per deployment, and replaces a
 * table whose name or key changes. test/infra/stack/table.test.ts says what to do instead.
 */
export class LedgerTable extends TableV2 {
  constructor(scope: Construct, id: string, { stage, settings: { maxWriteRequestUnits } }: Props) {
    super(scope, id, {
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      sortKey: { name: 'sk', type: AttributeType.STRING },
      billing: Billing.onDemand({ maxWriteRequestUnits }),
      dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES,
      timeToLiveAttribute: 'expiresAtSecond',
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: stage !== 'dev',
      removalPolicy: removalPolicyOf(stage),
      globalSecondaryIndexes: indexes,
    });
  }

  /** ARNs of the indexes of lists. */
  get listIndexArns(): string[] {
    return listIndexes.map((name) => this.indexArn(name));
  }

  /** ARNs of the indexes of searchable fields. */
  get searchIndexArns(): string[] {
    return searchIndexes.map((name) => this.indexArn(name));
  }

  /** ARN of the index of records that are due for workers. */
  get dueIndexArn(): string {
    return this.indexArn(dueIndex);
  }

  private indexArn(name: string): string {
    return `${this.tableArn}/index/${name}`;
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
