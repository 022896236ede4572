import { localCredentials } from './engine.ts';
import { region } from './intrinsics.ts';
import type { LocalFunction } from './template/template.ts';

/** The environment variables that Lambda sets, and the endpoints of this machine's services. */
export function variablesOf(
  { name, folder, handler, memorySize }: LocalFunction,
  endpoints: { dynamodb: string; sms: string },
): Record<string, string> {
  return {
    ...localCredentials,
    // The role is looked up by the access key id, which is the function's name.
    AWS_ACCESS_KEY_ID: name,
    AWS_REGION: region,
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_LAMBDA_FUNCTION_NAME: name,
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memorySize),
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamodb,
    AWS_ENDPOINT_URL_PINPOINT_SMS_VOICE_V2: endpoints.sms,
    LAMBDA_TASK_ROOT: folder,
    _HANDLER: handler,
    TZ: ':UTC',
  };
}
