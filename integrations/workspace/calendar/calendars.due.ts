import { dueRows } from "../../../core/jobs/due-rows.ts";

/** Minutes before a calendar with an active channel is polled anyway, because a message may be lost. */
export const LONGEST_SILENCE = 30;
/** Hours before its end when a channel is renewed (workspace §2.3). */
export const RENEWED_HOURS = 24;
/** Days that the row of a removed event is kept, so that a recreated event gets the next id at once. */
export const MIRROR_DAYS = 60;
/** Days after which an unconfirmed channel has certainly ended at Google. */
export const LONGEST_DAYS = 8;

const IS_ON = `r.status = 'active' and exists (select from workspace_settings s where s.organisation_id = o.id and s.calendar_enabled)`;
const activeUntil = (moment: string): string => `exists (select from workspace_calendar_channels h where h.organisation_id = o.id
  and h.connection_id = r.id and h.status = 'active' and h.expires_at > ${moment})`;

export const silentCalendars = dueRows([
  "workspace_connections",
  `${IS_ON} and (not ${activeUntil("now()")} or not exists (select from workspace_calendars k where k.organisation_id = o.id
    and k.connection_id = r.id and k.last_synced_at >= now() - interval '${LONGEST_SILENCE} minutes'))`,
]);

export const endingChannels = dueRows(
  ["workspace_connections", `${IS_ON} and not ${activeUntil(`now() + interval '${RENEWED_HOURS} hours'`)}`],
  ["workspace_calendar_channels", `r.status <> 'active' and r.created_at < now() - interval '${LONGEST_DAYS} days'`],
);

export const unfinishedMirrors = dueRows(
  ["workspace_calendar_mirrors", "r.status = 'pending'"],
  [
    "workspace_calendar_mirrors",
    `r.status = 'done' and r.presence = 'absent' and r.updated_at < now() - interval '${MIRROR_DAYS} days'`,
  ],
);
