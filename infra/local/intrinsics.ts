import { LocalError } from './local-error.ts';

type Json = Record<string, unknown>;

/** Values of CloudFormation's pseudo parameters on this machine. */
export const pseudo: Record<string, string> = {
  'AWS::AccountId': '000000000000',
  'AWS::Partition': 'aws',
  'AWS::Region': 'us-east-1',
  'AWS::URLSuffix': 'localhost',
};

export const region = 'us-east-1';

/** ARN of a resource. The ARN ends with the logical id, which is also the resource's name here. */
export const arnOf = (logicalId: string) => `arn:aws:local:${region}:000000000000:${logicalId}`;

/** ARN of a table, which is known by its name. */
export const tableArnOf = (name: string) => `arn:aws:dynamodb:${region}:000000000000:table/${name}`;

/** ARN of a table's stream. */
export const streamArnOf = (table: string) => `${tableArnOf(table)}/stream/local`;

/** ARN of a function, which is known by the name that it is deployed under. */
export const functionArnOf = (deployedName: string) =>
  `arn:aws:lambda:${region}:000000000000:function:${deployedName}`;

/** Prefix of ARNs of AWS End User Messaging SMS. */
export const smsArn = `arn:aws:sms-voice:${region}:000000000000`;

/** Logical id at the end of an ARN that `resolve` made, or name at the end of one that the template has. */
export const logicalIdOf = (arn: string) => arn.slice(arn.lastIndexOf(':') + 1);

/** Values of a template's parameters, by their logical ids. */
export type Parameters = ReadonlyMap<string, string>;

/**
 * Evaluates every intrinsic function in a template value.
 * @throws LocalError for an unknown one
 */
export function resolve(value: unknown, parameters: Parameters = new Map()): unknown {
  if (Array.isArray(value)) return value.map((part) => resolve(part, parameters));
  if (!isObject(value)) return value;
  const [name, ...others] = Object.keys(value);
  if (name === undefined || others.length > 0 || !(name === 'Ref' || name.startsWith('Fn::'))) {
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, resolve(part, parameters)]));
  }
  return call(name, resolve(value[name], parameters), parameters);
}

function call(name: string, argument: unknown, parameters: Parameters): unknown {
  switch (name) {
    case 'Ref':
      return pseudo[String(argument)] ?? parameters.get(String(argument)) ?? argument;
    case 'Fn::GetAtt': {
      const [logicalId = '', attribute = ''] = strings(argument);
      return attribute === 'Arn' ? arnOf(logicalId) : `${logicalId}.${attribute}`;
    }
    case 'Fn::Join': {
      const [separator, parts] = list(argument);
      return strings(parts).join(String(separator));
    }
    case 'Fn::Select': {
      const [index, parts] = list(argument);
      return list(parts)[Number(index)];
    }
    case 'Fn::Split': {
      const [separator, text] = list(argument);
      return String(text).split(String(separator));
    }
    case 'Fn::Sub':
      return String(argument).replaceAll(
        /\$\{([^}]+)\}/g,
        (_, parameter: string) => pseudo[parameter] ?? parameter,
      );
    default:
      throw new LocalError(`The template uses ${name}, which the local machine does not know`);
  }
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);
const strings = (value: unknown): string[] => list(value).map(String);
