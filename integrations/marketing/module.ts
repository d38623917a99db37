import { defineModule } from "../../core/declare/module.ts";
import { marketingEvents } from "./events.ts";

/** Figures of clients from the sources that are linked to them (marketing-ads §2). */
export default defineModule({
  key: "marketing",
  kind: "module",
  licence: "marketing",
  permissions: {
    "marketing.metrics.read": { position: 10, grants: ["admin", "member", "client"] },
    "marketing.link.manage": { position: 20, grants: ["admin"] },
    "marketing.overview.read": { position: 30, grants: ["admin"] },
  },
  errors: {
    422: ["validation errors.marketing_rankmath_not_connected", "validation errors.marketing_rankmath_website_required"],
  },
  events: marketingEvents,
  records: {
    marketing_settings: { readers: { permission: "marketing.link.manage" }, client: null, trail: true },
    marketing_link: {
      readers: { permission: "marketing.metrics.read" },
      client: { table: "marketing_links", of: "t.company_id" },
    },
  },
  demo: { position: 48, load: async () => (await import("./demo/demo-marketing.ts")).fillMarketing },
  tags: { marketing: "Search and analytics figures of websites." },
  tables: [
    "marketing_answers",
    "marketing_company_settings",
    "marketing_days",
    "marketing_links",
    "marketing_period_values",
    "marketing_settings",
    "marketing_website_credentials",
  ],
});
