import { enqueue } from "./query.ts";
import { statement } from "./statement.ts";

const LOOPS_OFF = statement("select set_config('enable_nestloop', 'off', true)");
const LOOPS_ON = statement("select set_config('enable_nestloop', 'on', true)");

/**
 * Has PostgreSQL join without loops while thousands of rows are looked up at once. It plans for the few it expects, the more so where a table
 * has just been filled and was never counted; a loop over ten thousand in ten thousand then takes minutes. A plan is kept as it was made: what
 * runs here must not run elsewhere. Two statements, in the running transaction.
 */
export async function withoutLoops<T>(work: () => Promise<T>): Promise<T> {
  enqueue(LOOPS_OFF);
  const result = await work();
  enqueue(LOOPS_ON);
  return result;
}
