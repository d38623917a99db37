import { enqueue, query, queryAll } from "../query.ts";
import { statement } from "../statement.ts";
import { joinTransaction } from "./transaction.ts";

const SET = statement("savepoint attempt");
const RELEASE = statement("release savepoint attempt");
const UNDO = statement("rollback to savepoint attempt");
const NOTHING = statement("select 1");

/**
 * Runs work of the request's transaction that may fail without taking the rest with it: what it wrote is then undone, and everything before
 * it stays.
 * @returns why it failed, or null
 */
export async function attempt(work: () => Promise<unknown>): Promise<unknown> {
  const forgetSince = joinTransaction().mark();
  enqueue(SET);
  try {
    await work();
    await query(RELEASE);
    return null;
  } catch (error) {
    // What still waits to be sent belongs to the work, and may fail like it.
    await query(NOTHING).catch(() => {});
    await queryAll([UNDO, []], [RELEASE, []]);
    forgetSince();
    return error;
  }
}
