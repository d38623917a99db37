import type { Config } from "../core/config/config.ts";
import { openQueue } from "../core/jobs/operating.ts";
import type { Table } from "../core/jobs/queue/table.ts";
import { OperatorError } from "./organisations.ts";

/**
 * Runs work on an installation's queue, and disconnects.
 * @throws OperatorError with one sentence if the queue cannot be reached
 */
export async function withQueue<T>(
  { jobsUrl }: Pick<Config, "jobsUrl">,
  ownerUrl: string,
  work: (queue: Table) => Promise<T>,
): Promise<T> {
  const table = await openQueue(jobsUrl, ownerUrl).catch((error: Error) => {
    throw new OperatorError(`${error.message}.`);
  });
  try {
    return await work(table);
  } finally {
    await table.disconnect();
  }
}
