import { internal } from "../../../core/declare/makers/internal.ts";
import { service } from "../../../mixins/resource.ts";
import { openRenewals } from "./open-renewals.ts";
import { runRenewals } from "./renewal.ts";
import { dueDomains } from "./renewals.due.ts";

export default service("domains.billing", {
  actions: {
    recurring: internal({
      summary: "The domains that are billed, with their open years",
      open: "the operations of invoicing show open periods, with their own permissions",
      contributes: { recurring: { source: "domain" } },
      handler: (ctx) => openRenewals(ctx.params.company_id),
    }),
  },
  jobs: {
    "domains.renew": {
      about: "Reports the ended years of domains, and moves each to its next renewal",
      schedule: "45 5 * * *",
      due: dueDomains,
      // The documents that follow are mailed at 06:15.
      spread: 15,
      module: "domains",
      timeout: 300_000,
      handler: runRenewals,
    },
  },
});
