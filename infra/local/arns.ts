export const accountId = '000000000000';
export const region = 'us-east-1';

/** ARN of a resource. The ARN ends with the logical id, which is also the resource's name here. */
export const arnOf = (logicalId: string) => `arn:aws:local:${region}:${accountId}:${logicalId}`;

/** ARN of a table, which is known by its name. */
export const tableArnOf = (name: string) => `arn:aws:dynamodb:${region}:${accountId}:table/${name}`;

/** ARN of a table's stream. */
export const streamArnOf = (table: string) => `${tableArnOf(table)}/stream/local`;

/** ARN of a function, which is known by the name that it is deployed under. */
export const functionArnOf = (deployedName: string) =>
  `arn:aws:lambda:${region}:${accountId}:function:${deployedName}`;

/** ARN of a topic, which is known by its name. */
export const topicArnOf = (name: string) => `arn:aws:sns:${region}:${accountId}:${name}`;

/** Prefix of ARNs of AWS End User Messaging SMS. */
export const smsArn = `arn:aws:sms-voice:${region}:${accountId}`;

/** Logical id at the end of an ARN that `arnOf` made, or name at the end of another ARN. */
export const logicalIdOf = (arn: string) => arn.slice(arn.lastIndexOf(':') + 1);
