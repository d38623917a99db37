import { action } from "../../../core/declare/action.ts";
import { prepared } from "../../../core/request/context.ts";
import { optional, uuid } from "../../../core/schema/schema.ts";
import { service } from "../../../mixins/resource.ts";
import { sourceKey } from "../sources/source-schema.ts";
import { AccountsResponse } from "./link-schemas.ts";
import { type Picked, pick, picked } from "./picking.ts";

/** Accounts at metric sources that the caller can link (marketing-ads §2.3). */
export default service("marketing.accounts", {
  actions: {
    list: action({
      rest: "GET /marketing/accounts",
      verb: "list",
      summary: "List the accounts of a metric source that you may link",
      description:
        "Read from the source with your own connection, or with the stored key, and cached for ten minutes. Always 200: the answer explains why accounts cannot be listed.",
      permission: "marketing.link.manage",
      query: {
        source: sourceKey("The metric source"),
        website_id: optional({
          ...uuid(),
          description:
            "The website whose credential is used; required for a source whose credential is per website, ignored otherwise",
        }),
      },
      returns: AccountsResponse,
      errors: ["not_found", "validation errors.marketing_rankmath_website_required"],
      prepare: ({ params: { source, website_id } }) => pick(source, website_id),
      handler: ({ params: { source } }) => picked(source, prepared<Picked>()),
    }),
  },
});
