import { queryAll } from "../../../../core/database/query.ts";
import { action } from "../../../../core/declare/action.ts";
import { nullable } from "../../../../core/schema/schema.ts";
import { JsonText } from "../../../../core/sql/json-text.ts";
import { service } from "../../../../mixins/resource.ts";
import { readHours } from "../../hour-callers.ts";
import { entryRows } from "./entry.list.ts";
import { TimeEntryRead, TimerStart } from "./entry-schemas.ts";
import { entryIn, reads } from "./person-entries.ts";
import { startTimer, stopTimer } from "./timer.ts";

export default service("time.timer", {
  actions: {
    get: action({
      rest: "GET /time/timer",
      summary: "The caller's entry that runs, or null",
      permission: "time.entry.read",
      returns: nullable(TimeEntryRead),
      async handler() {
        const [rows] = await queryAll(reads.running(readHours(undefined)));
        const entry = entryIn(rows);
        return entry && new JsonText(JSON.stringify(entry), rows?.[0]?.["version"] as number);
      },
    }),

    start: action({
      rest: "POST /time/timer/start",
      summary: "Start a timer, and stop a running one first",
      description: "`If-Match` refers to the running timer; 412 without one.",
      permission: "time.entry.write",
      body: TimerStart,
      conditional: true,
      returns: TimeEntryRead,
      errors: ["not_found", "forbidden"],
      tool: {
        name: "start_timer",
        description: "Starts the caller's timer on a task, project or client; one that runs is stopped first.",
        inArea: true,
        takes: ["task_id", "project_id", "company_id", "description"],
      },
      handler: async (ctx) => entryRows().answerWith(await startTimer(ctx.params.body)),
    }),

    stop: action({
      rest: "POST /time/timer/stop",
      summary: "Stop the timer",
      permission: "time.entry.write",
      status: 200,
      conditional: true,
      returns: TimeEntryRead,
      errors: ["not_found", "forbidden"],
      tool: {
        name: "stop_timer",
        description: "Stops the caller's timer and keeps its minutes as hours.",
        inArea: true,
        takes: [],
      },
      handler: async () => entryRows().answerWith(await stopTimer()),
    }),
  },
});
