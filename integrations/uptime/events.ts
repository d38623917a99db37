import { event, type PayloadsOf } from "../../core/declare/events.ts";
import { choice, field, instant, integer, list, nullable, Type, uuid } from "../../core/schema/schema.ts";

/** What every event of a monitor names. */
const monitor = {
  monitor_id: uuid(),
  title: Type.String({ description: "The name of the monitor" }),
  target: nullable(Type.String({ description: "Address or host that is checked; null for a monitor without one" })),
  company_id: nullable(uuid()),
  website_id: nullable(uuid()),
};
const message = nullable(Type.String({ description: "The server's message, without credentials; null if there is none" }));
const minutes = integer(0, 2_147_483_647, {
  description: "Length of the outage in whole minutes, rounded; 0 for less than half a minute",
});
const downSince = field(instant(), "When the outage began, UTC");
const texts = { monitor_id: "The monitor", website_id: "The website it monitors; null if none" };
const DOWN = { ...texts, at: "When the check failed, UTC" };
const UP = { ...texts, at: "When the outage ended, UTC" };

/** The fields that triggers of automation have in common (platform chapter §2.1). */
const turned = (status: "down" | "up", from: "down" | "up") => ({
  id: field(uuid(), "The monitor"),
  status: choice([status], { description: "The status of the monitor" }),
  from: choice([from], { description: "The status before" }),
  to: choice([status], { description: "The status since then" }),
});

/** Events of monitors and their servers (workspace-reporting §5). */
export const uptimeEvents = {
  "uptime.monitor.down": event(
    "uptime_monitor",
    "A monitor that was not down reported that it is down. Not sent while it is paused or flapping.",
    { ...monitor, at: instant(), message, recipients: list(uuid()) },
    { texts: DOWN },
  ),
  "uptime.monitor.up": event(
    "uptime_monitor",
    "A monitor that was down is up again. Not sent while it is paused or flapping.",
    { ...monitor, at: instant(), down_since: downSince, minutes, recipients: list(uuid()) },
    { texts: UP },
  ),
  "uptime.monitor.flapping": event(
    "uptime_monitor",
    "A monitor changed between down and up more than five times in 15 minutes. No other event of it follows until 15 minutes pass without a change.",
    { ...monitor, at: instant(), recipients: list(uuid()) },
    { texts: { ...texts, at: "When it changed last, UTC" } },
  ),
  "uptime.monitor_down": event(
    "uptime_monitor",
    "A monitor went down, for automation rules: occurs together with `uptime.monitor.down`.",
    { ...monitor, ...turned("down", "up"), at: instant(), message },
    { texts: DOWN },
  ),
  "uptime.monitor_up": event(
    "uptime_monitor",
    "A monitor is up again, for automation rules: occurs together with `uptime.monitor.up`.",
    { ...monitor, ...turned("up", "down"), at: instant(), down_since: downSince, minutes },
    { texts: UP },
  ),
  "uptime.instance.unreachable": event(
    "uptime_instance",
    "An uptime server can no longer be read: it does not respond, or refuses the stored session. Once until it can be read again.",
    {
      instance_id: field(uuid(), "The server"),
      title: Type.String({ description: "The name of the server" }),
      status: choice(["error", "needs_reauth"], {
        description: "`error`: it does not respond as it should; `needs_reauth`: it must be signed in to again",
      }),
      at: field(instant(), "When the call failed, UTC"),
      recipients: list(uuid()),
    },
  ),
};

declare module "../../core/declare/events.ts" {
  interface EventPayloads extends PayloadsOf<typeof uptimeEvents> {}
}
