import { type Setting, setting } from "./setting.ts";
import { whole } from "./values.ts";

/** Longest period in days, ten years: who wants more keeps rows for ever. */
const LONGEST = 3_660;

/** How long rows are kept of which the chapters state no period. Nightly jobs remove older ones (docs/operating/growth.md). */
export const retentionSettings = {
  deliveriesDays: setting(
    "SERVICE_WEBHOOK_DELIVERIES_DAYS",
    "30",
    whole(7, LONGEST),
    "Days that deliveries of webhooks are kept, with their bodies and answers",
  ),
  messagesDays: setting(
    "SERVICE_MESSAGES_DAYS",
    "30",
    whole(9, LONGEST),
    "Days that mails and text messages are kept after they were sent or failed",
  ),
  failedJobsDays: setting("SERVICE_FAILED_JOBS_DAYS", "30", whole(7, LONGEST), "Days that jobs are kept that failed for good"),
  trailDays: setting(
    "SERVICE_TRAIL_DAYS",
    undefined,
    whole(365, LONGEST),
    "Days that lines of the trail (`GET /activity`) are kept; unset: for ever",
  ),
} as const satisfies Record<string, Setting<unknown>>;
