import { prepared } from "../../../../core/request/context.ts";
import type { Answer, Written } from "./gate.ts";
import { recordSettled } from "./recording.ts";

/** Records what `prepare` has written, and gives the answer: the handler of a write. */
export async function recorded(): Promise<Answer> {
  const { answer, settled } = prepared<Written>();
  for (const one of settled) await recordSettled(one);
  return answer;
}
