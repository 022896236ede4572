import { InvokeCommand, LambdaClient, TooManyRequestsException } from '@aws-sdk/client-lambda';
import { timeLimits } from '../../core/waits.ts';
import { warmUpEvent } from '../warm-up.ts';

/** Number of functions that are called at the same time: so few that requests hardly notice. */
export const functionsAtOnce = 5;

/**
 * Calls each function once, and returns the number of functions that answered. A function that fails is reported, and
 * stops no other. A function that Lambda throttles is busy, and so warm: that is no fault.
 */
export async function keepWarm(
  names: readonly string[],
  report: (error: unknown) => void,
  client = new LambdaClient({
    // One more try, for a connection that is lost.
    maxAttempts: 2,
    requestHandler: {
      connectionTimeout: timeLimits.connect,
      requestTimeout: timeLimits.warmUpCall,
      throwOnRequestTimeout: true,
    },
  }),
): Promise<number> {
  const waiting = [...names];
  let answered = 0;
  const callNext = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      try {
        if (await warmUp(client, name)) answered++;
      } catch (cause) {
        report(new Error(`${name} did not answer`, { cause }));
      }
    }
  };
  await Promise.all(Array.from({ length: functionsAtOnce }, callNext));
  // Its connections would be closed by the next run.
  client.destroy();
  return answered;
}

/** @returns false if Lambda throttles the function */
async function warmUp(client: LambdaClient, FunctionName: string): Promise<boolean> {
  try {
    const command = new InvokeCommand({ FunctionName, Payload: JSON.stringify(warmUpEvent) });
    const { FunctionError } = await client.send(command);
    if (FunctionError !== undefined) throw new Error(`It failed: ${FunctionError}`);
    return true;
  } catch (error) {
    if (error instanceof TooManyRequestsException) return false;
    throw error;
  }
}
