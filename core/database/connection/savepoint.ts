import { statement } from "../../sql/statement.ts";
import { enqueue, query, queryAll } from "../query.ts";
import { joinTransaction } from "./transaction.ts";

const SET = statement("savepoint attempt");
const RELEASE = statement("release savepoint attempt");
const UNDO = statement("rollback to savepoint attempt");
const NOTHING = statement("select 1");

/**
 * Runs work inside the request's transaction that may fail without failing the rest: PostgreSQL then undoes only what the work wrote.
 * @returns the error, or null
 */
export async function attempt(work: () => Promise<unknown>): Promise<unknown> {
  const forgetSince = joinTransaction().mark();
  enqueue(SET);
  try {
    await work();
    await query(RELEASE);
    return null;
  } catch (error) {
    // Statements not sent yet belong to the work too, and may fail as well.
    await query(NOTHING).catch(() => {});
    await queryAll([UNDO, []], [RELEASE, []]);
    forgetSince();
    return error;
  }
}
