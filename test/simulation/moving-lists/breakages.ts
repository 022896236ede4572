import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

interface Update {
  UpdateExpression: string;
  ConditionExpression?: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Record<string, unknown>;
}

interface Input {
  ConsistentRead?: boolean;
  TransactItems?: { Update?: Update }[];
}

type Break = (command: string, input: Input) => void;

const everyUpdate =
  (change: (update: Update) => void): Break =>
  (_command, { TransactItems = [] }) => {
    for (const { Update } of TransactItems) if (Update) change(Update);
  };

/** Ways to break lists on the way to DynamoDB. */
const breaks = {
  'the state of a list is replaced whatever it is': everyUpdate((update) => {
    if (update.ConditionExpression === undefined) return;
    delete update.ConditionExpression;
    delete update.ExpressionAttributeValues?.[':before'];
  }),
  'who leaves a list takes the place of those who left before': everyUpdate((update) => {
    const [, added = '', more = ''] = /^ADD (.*?)(?: SET (.*))?$/.exec(update.UpdateExpression) ?? [];
    if (added === '') return;
    const set = added.replaceAll(/(#w\d+) (:w\d+)/g, '$1 = $2');
    update.UpdateExpression = `SET ${set}${more && `, ${more}`}`;
  }),
  'nobody notes who leaves a list': (_command, input) => {
    const { TransactItems = [] } = input;
    const isNote = ({ Update }: (typeof TransactItems)[number]) => Update?.UpdateExpression.startsWith('ADD');
    if (TransactItems.some(isNote)) input.TransactItems = TransactItems.filter((part) => !isNote(part));
  },
  'all reads are eventually consistent': (command, input) => {
    if (command.startsWith('GetItem')) input.ConsistentRead = false;
  },
} as const satisfies Record<string, Break>;

export type MovingBreakage = keyof typeof breaks;
export const movingBreakages = Object.keys(breaks) as MovingBreakage[];

export const breakLists =
  (breakage: MovingBreakage) =>
  (client: DynamoDBClient): DynamoDBClient => {
    client.middlewareStack.add(
      (next, { commandName = '' }) =>
        (args) => {
          const act: Break = breaks[breakage];
          act(commandName, args.input as Input);
          return next(args);
        },
      { step: 'initialize', priority: 'high', name: 'simulationBreakage' },
    );
    return client;
  };
