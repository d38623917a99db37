import { internal } from "../../../core/declare/makers/internal.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { service } from "../../../mixins/resource.ts";
import { linksOf } from "../links/link-rows.ts";
import type { MarketingLinkRead } from "../links/link-schemas.ts";

/** Number of links in a client's panel. */
const IN_PANEL = 5;

/** Marketing on its client's page (clients §3.8): stored facts only, no source is called. */
export default service("marketing.company", {
  actions: {
    panel: internal({
      summary: "The accounts that a client's figures come from, and how many there are",
      permission: "marketing.metrics.read",
      contributes: { panel: { entity: "company", key: "marketing.overview", position: 50 } },
      async handler({ params: { company_id } }) {
        const links = (await linksOf(company_id, null)).parse() as Static<typeof MarketingLinkRead>[];
        const active = links.filter((link) => link.active);
        return { links: active.slice(0, IN_PANEL), total: active.length };
      },
    }),
  },
});
