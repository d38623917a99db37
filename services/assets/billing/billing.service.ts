import { action } from "../../../core/declare/action.ts";
import { service } from "../../../mixins/resource.ts";
import { openRenewals } from "./open-renewals.ts";
import { runRenewals } from "./renewal.ts";

export default service("domains.billing", {
  actions: {
    recurring: action({
      summary: "The domains that are billed, with their open years",
      open: "what is to be billed is shown by the operations of invoicing, which have permissions of their own",
      contributes: { recurring: { source: "domain" } },
      handler: (ctx) => openRenewals(ctx.params.company_id),
    }),
  },
  jobs: {
    "domains.renew": {
      about: "Tells the years of domains that have ended, and moves each to its next renewal",
      schedule: "45 5 * * *",
      module: "domains",
      timeout: 300_000,
      handler: runRenewals,
    },
  },
});
