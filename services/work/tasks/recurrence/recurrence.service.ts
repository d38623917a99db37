import { action } from "../../../../core/declare/action.ts";
import { organisationToday, organisationZone } from "../../../../core/request/today.ts";
import { service } from "../../../../mixins/resource.ts";
import { plannedTimes } from "../../planning/planned-blocks.ts";
import { dueCarriers } from "./recurrence.due.ts";
import { followingDates, nextDate, readRecurrence } from "./recurrence.ts";
import { RecurrencePreview, RecurrencePreviewRead } from "./recurrence-schemas.ts";
import { runSchedules } from "./scheduled-runs.ts";

export default service("tasks.recurrence", {
  actions: {
    preview: action({
      rest: "POST /tasks/recurrence/preview",
      summary: "Preview the dates of a rule; nothing is stored",
      permission: "tasks.task.write",
      body: RecurrencePreview,
      returns: RecurrencePreviewRead,
      status: 200,
      handler(ctx) {
        const { recurrence, due_date = null } = ctx.params.body;
        const rule = readRecurrence(recurrence);
        const next_date = nextDate(rule, due_date, organisationToday());
        return {
          next_date,
          following: followingDates(rule, next_date),
          on_completion: rule.mode === "after_completion",
          ...plannedTimes(rule, next_date, organisationZone()),
        };
      },
    }),
  },

  jobs: {
    "tasks.recur": {
      about: "Makes the occurrences of recurring tasks whose date has come",
      schedule: "0 4 * * *",
      due: dueCarriers,
      spread: 55,
      timeout: 300_000,
      handler: runSchedules,
    },
  },
});
