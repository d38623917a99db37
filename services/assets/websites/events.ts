import { event, type PayloadsOf } from "../../../core/declare/events.ts";
import { field, flag, uuid } from "../../../core/schema/schema.ts";

/** The events of websites (assets §2.1). */
export const websiteEvents = {
  "website.uptime_toggled": event("website", "Monitoring of a website was switched on or off.", {
    website_id: field(uuid(), "The website"),
    uptime: field(flag(), "Whether it is watched now"),
  }),
};

declare module "../../../core/declare/events.ts" {
  interface EventPayloads extends PayloadsOf<typeof websiteEvents> {}
}
