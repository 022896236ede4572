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
import { removalPolicyOf } from './removal.ts';
import type { StageSettings } from './stage-settings.ts';
import type { Stage } from './stage.ts';

interface Props {
  stage: Stage;
  settings: Pick<StageSettings, 'maxWriteRequestUnits'>;
}

/**
 * The one table: every organization's ledger. On demand, up to as many write units a second as are set; its stream has new and old images; items with a passed
 * `expiresAtSecond` vanish; restorable to any second of the last 35 days. Outside `dev` it cannot be deleted.
 *
 * Its logical id, its keys and its indexes are for good: CloudFormation adds one index per deployment, and replaces a
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

  /** The ARNs of the indexes of lists; a query's permission is on the index, not on the table. */
  get listIndexArns(): string[] {
    return listIndexes.map((name) => this.indexArn(name));
  }

  /** The ARNs of the indexes of texts. */
  get searchIndexArns(): string[] {
    return searchIndexes.map((name) => this.indexArn(name));
  }

  /** The ARN of the index of what is due for workers. */
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
