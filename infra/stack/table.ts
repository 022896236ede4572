import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, BillingMode, ProjectionType, StreamViewType, Table } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import { viewIndexes } from '../../shared/ledger/internal/keys.ts';
import type { Stage } from './stage.ts';

/**
 * The one table: every organization's ledger. On demand; its stream has new and old images; items with a passed
 * `expiresAtSecond` vanish; restorable to any second of the last 35 days. Outside `dev` it cannot be deleted.
 */
export class LedgerTable extends Table {
  constructor(scope: Construct, id: string, { stage }: { stage: Stage }) {
    const throwaway = stage === 'dev';
    super(scope, id, {
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      sortKey: { name: 'sk', type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      stream: StreamViewType.NEW_AND_OLD_IMAGES,
      timeToLiveAttribute: 'expiresAtSecond',
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: !throwaway,
      removalPolicy: throwaway ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
    });
    for (const indexName of viewIndexes) {
      this.addGlobalSecondaryIndex({
        indexName,
        partitionKey: { name: indexName, type: AttributeType.STRING },
        sortKey: { name: `${indexName}Rank`, type: AttributeType.NUMBER },
        projectionType: ProjectionType.ALL,
      });
    }
  }

  /** The ARN of each index; a query's permission is on the index, not on the table. */
  get indexArns(): string[] {
    return viewIndexes.map((name) => `${this.tableArn}/index/${name}`);
  }
}
