import { statement } from "../sql/statement.ts";
import { enqueue } from "./query.ts";

const LOOPS_OFF = statement("select set_config('enable_nestloop', 'off', true)");
const LOOPS_ON = statement("select set_config('enable_nestloop', 'on', true)");

/**
 * Makes PostgreSQL join without nested loops while thousands of rows are looked up at once. It plans for the few rows it expects, above all
 * in a table that was just filled and never analysed; a loop over ten thousand rows in ten thousand then takes minutes. PostgreSQL keeps
 * the plan, so statements that run here must not run elsewhere. Adds two statements to the current transaction.
 */
export async function withoutLoops<T>(work: () => Promise<T>): Promise<T> {
  enqueue(LOOPS_OFF);
  const result = await work();
  enqueue(LOOPS_ON);
  return result;
}
