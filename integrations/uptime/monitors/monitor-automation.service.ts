import { columns } from "../../../core/database/model.ts";
import { queryOne } from "../../../core/database/query.ts";
import { type AutomationOutcome, unusableConfig } from "../../../core/declare/automation.ts";
import { internal } from "../../../core/declare/makers/internal.ts";
import { job } from "../../../core/jobs/jobs.ts";
import { prepared } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { requireOrganisationLicence } from "../../../mixins/licence.ts";
import { service } from "../../../mixins/resource.ts";
import { UptimeMonitor, type UptimeMonitorRow } from "../models.ts";
import { PauseCall } from "./monitor-automation-configs.ts";
import {
  isCurrentPause,
  isPausedByPerson,
  notePausedFor,
  noteSwitched,
  type PauseEnd,
  RESUME_JOB,
  reachable,
  stillThere,
  switchThere,
} from "./switching.ts";
import { visibleRow } from "./visible-row.ts";

const ROW = statement(`select ${columns(UptimeMonitor)} from uptime_monitors where organisation_id = $1 and id = $2`);

/** Actions of automation rules on monitors, through the same functions as every other path. */
export default service("uptime.automation", {
  actions: {
    pause: internal({
      open: "the member who saved a rule has authorised its actions (platform §2.2)",
      needs: "everything",
      writes: true,
      summary: "Pause the monitor that triggered a rule for some minutes",
      body: PauseCall,
      acts: "outside",
      /** Whether the monitor is paused at its server; false for a record that is no monitor, and for one that a person paused. */
      async prepare(ctx): Promise<boolean> {
        const { entity_type, entity_id } = ctx.params.body.trigger;
        if (entity_type !== "uptime_monitor") return false;
        await requireOrganisationLicence("uptime");
        const row = await visibleRow(entity_id);
        if (isPausedByPerson(row)) return false;
        await switchThere((name, parameters) => ctx.call(name, parameters), await reachable(row), false);
        return true;
      },
      async handler(ctx): Promise<AutomationOutcome> {
        const { config, trigger } = ctx.params.body;
        if (trigger.entity_type !== "uptime_monitor") return unusableConfig;
        const row = await stillThere(trigger.entity_id);
        const isPaused = prepared<boolean>() && !isPausedByPerson(row);
        return { result: { monitor_id: row.id, paused_until: isPaused ? notePausedFor(row, config.minutes) : null } };
      },
    }),
  },

  jobs: {
    [RESUME_JOB]: job<PauseEnd>({
      about: "Resumes a monitor whose pause by a rule ends",
      module: "uptime",
      timeout: 120_000,
      retry: { attempts: 8, backoff: { first: 60_000, factor: 3, most: 14_400_000 } },
      async handler({ organisation, payload, read, write, call }) {
        const located = await read(async () => {
          const row = await queryOne<UptimeMonitorRow>(ROW, [organisation.id, payload.monitor_id]);
          return isCurrentPause(row, payload) ? reachable(row) : null;
        });
        if (!located) return;
        await switchThere(call, located, true);
        await write(async () => {
          const before = await stillThere(payload.monitor_id);
          if (isCurrentPause(before, payload)) noteSwitched(before, true);
        });
      },
    }),
  },
});
