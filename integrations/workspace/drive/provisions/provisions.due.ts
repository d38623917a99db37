import { dueRows } from "../../../../core/jobs/due-rows.ts";

/** Folders to create, cached listings that are old, and ended creations. */
export const driveWork = dueRows(
  ["drive_provisions", "r.state = 'waiting' and r.due_at <= now()"],
  ["drive_listings", "r.read_at <= now() - interval '45 seconds'"],
  ["drive_creations", "r.holder is null and r.changed_at < now() - interval '7 days'"],
);
