import { action } from "../../../core/declare/action.ts";
import { date, optional, text } from "../../../core/schema/schema.ts";
import { service } from "../../../mixins/resource.ts";
import { visibleAccount } from "../visible-account.ts";
import { trendOf } from "./trend.ts";
import { AdsTrendRead } from "./trend-schemas.ts";

/** Trends of an account's figures (marketing-ads §3.6). */
export default service("ads-platform.trend", {
  actions: {
    get: action({
      rest: "GET /ads-platform/accounts/:account_id/trend",
      summary: "Read how the figures of an account develop",
      description: "Stored figures; no provider is called. Days are those of the account's zone and end yesterday.",
      permission: "ads_platform.account.read",
      query: {
        compare: optional(
          text(20, { description: "`year` (default): the same days a year earlier; `previous`: as many days before the period" }),
        ),
        period: optional(
          text(32, {
            description:
              "`30d`, `90d`, `week`, `last_week`, `month`, `last_month`, `quarter`, `last_quarter`, `ytd`, `last_year`, `YYYY-MM` or `YYYY-Qn`; anything else is `30d`",
          }),
        ),
        date_from: optional({ ...date(), description: "First day; only with `date_to`, and then instead of the period" }),
        date_to: optional({ ...date(), description: "Last day, included; only with `date_from`" }),
      },
      returns: AdsTrendRead,
      handler: async ({ params: { account_id: id, ...named } }) =>
        trendOf(await visibleAccount(id), named, new Date().toISOString()),
    }),
  },
});
