import { event, type PayloadsOf } from "../../core/declare/events.ts";
import { instant, list, nullable, Type, uuid } from "../../core/schema/schema.ts";

/** Events of monitors (workspace-reporting §5). */
export const uptimeEvents = {
  "uptime.monitor.down": event(
    "uptime_monitor",
    "A monitor that was not down reported that it is down.",
    {
      monitor_id: uuid(),
      title: Type.String({ description: "The name of the monitor" }),
      target: nullable(Type.String({ description: "Address or host that is checked; null for a monitor without one" })),
      company_id: nullable(uuid()),
      website_id: nullable(uuid()),
      at: instant(),
      message: nullable(Type.String({ description: "The server's message, without credentials; null if there is none" })),
      recipients: list(uuid()),
    },
    {
      texts: {
        monitor_id: "The monitor",
        website_id: "The website it monitors; null if none",
        at: "When the check failed, UTC",
      },
    },
  ),
};

declare module "../../core/declare/events.ts" {
  interface EventPayloads extends PayloadsOf<typeof uptimeEvents> {}
}
