import type { ErrorTexts } from "../../core/declare/module.ts";

/** Keys that stored results carry. */
export const aiResultTexts = {
  "errors.ai_tool_failed": [
    "A tool of the assistant failed for a reason other than a refusal.",
    "Ask again; the log of the service has the cause.",
  ],
} satisfies ErrorTexts;
