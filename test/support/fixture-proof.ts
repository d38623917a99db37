import type { Operation, ProofKey } from "./fixture-operations.ts";
import type { Answer } from "./http.ts";

interface Tally {
  proof: string;
  touched: number;
  excepted: string[];
}

/** Runs proofs over the operations and keeps count of what each has touched. */
export class Proofs {
  readonly #tallies: Tally[] = [];

  /**
   * Runs a check on each operation.
   * @param check gives what is wrong, one sentence each; `null` when the operation gives the proof nothing to bite on
   * @param key the exception an action may declare for this proof
   * @throws Error naming every operation that fails; also when no operation was touched at all
   */
  async over(
    proof: string,
    operations: readonly Operation[],
    check: (operation: Operation) => Promise<string[] | null>,
    key?: ProofKey,
  ): Promise<void> {
    const tally: Tally = { proof, touched: 0, excepted: [] };
    const wrong: string[] = [];
    for (const operation of operations) {
      const clause = key && operation.declared.exceptions?.[key];
      if (clause) {
        tally.excepted.push(`${operation.label} (${clause})`);
        continue;
      }
      const found = await check(operation).catch((error: Error) => [error.message]);
      if (found === null) continue;
      tally.touched += 1;
      for (const sentence of found) wrong.push(`${operation.label}: ${sentence}`);
    }
    this.#tallies.push(tally);
    if (tally.touched === 0) wrong.push("not a single operation was touched");
    if (wrong.length > 0) throw new Error(`${proof}:\n  ${wrong.join("\n  ")}`);
  }

  /** Says how many operations each proof touched, and which are excepted by which clause. */
  print(): void {
    for (const { proof, touched, excepted } of this.#tallies)
      process.stdout.write(
        `\n  proof: ${String(touched).padStart(4)} operations: ${proof}${excepted.map((one) => `\n         excepted: ${one}`).join("")}`,
      );
    process.stdout.write("\n");
  }
}

/** What is wrong with a refusal: its status, and the envelope with code and message of conventions §8. */
export function refusalOf(answer: Answer, status: number | readonly number[], code?: string, what = ""): string[] {
  const prefix = what === "" ? "" : `${what}: `;
  if (![status].flat().includes(answer.status))
    return [`${prefix}expected ${[status].flat().join(" or ")}, got ${answer.status} ${answer.text.slice(0, 200)}`];
  const error = answer.body?.error;
  if (
    Object.keys(answer.body ?? {}).join() !== "error" ||
    typeof error?.code !== "string" ||
    !/^errors\.[a-z_.0-9]+$/.test(error?.message)
  )
    return [`${prefix}no envelope: ${answer.text.slice(0, 200)}`];
  const extra = Object.keys(error).filter((key) => !["code", "message", "fields", "details"].includes(key));
  if (extra.length > 0) return [`${prefix}the envelope has ${extra.join()}`];
  if (code !== undefined && error.code !== code) return [`${prefix}expected the code ${code}, got ${error.code}`];
  return [];
}
