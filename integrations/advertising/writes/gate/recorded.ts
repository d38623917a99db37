import { prepared } from "../../../../core/request/context.ts";
import type { Answer, Written } from "./gate.ts";
import { recordSettled } from "./recording.ts";

/** The handler of a write: records the outcomes from `prepare` and returns the response. */
export async function recorded(): Promise<Answer> {
  const { answer, settled } = prepared<Written>();
  for (const one of settled) await recordSettled(one);
  return answer;
}
