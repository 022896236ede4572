import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { clientOf } from '../../../infra/local/engine.ts';
import { engine, tableAt } from '../../support/test-organization.ts';

export const { tableName: TableName } = tableAt();

/** A client of the shared table, past the ledger. Test files of one process share it. */
export const client = clientOf(engine);
export const documents = DynamoDBDocumentClient.from(client);

/** One stored item. */
export const itemAt = async (Key: object) =>
  (await documents.send(new GetCommand({ TableName, Key, ConsistentRead: true }))).Item;
