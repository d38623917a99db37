import { runtime } from "../../core/config/runtime.ts";
import { oldRowsEverywhere } from "../../core/sql/old-rows.ts";

export const oldMessages = oldRowsEverywhere({
  table: "sms_messages",
  age: "r.created_at",
  kept: "9 days",
  days: () => runtime().config.messagesDays,
});
