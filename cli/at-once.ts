import type { Call } from "./command.ts";

/** Runs work in one transaction of the owner's connection, for a command that goes on after the commit (`ownTransactions`). */
export async function atOnce<T>(client: Call["client"], work: () => Promise<T>): Promise<T> {
  await client.query("begin");
  try {
    const made = await work();
    await client.query("commit");
    return made;
  } catch (error) {
    await client.query("rollback").catch(() => undefined);
    throw error;
  }
}
