import { accountId, arnOf, region } from './arns.ts';
import { LocalError } from './local-error.ts';

type Json = Record<string, unknown>;

/** Values of CloudFormation's pseudo parameters on this machine. */
export const pseudo: Record<string, string> = {
  'AWS::AccountId': accountId,
  'AWS::Partition': 'aws',
  'AWS::Region': region,
  'AWS::URLSuffix': 'localhost',
};

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
