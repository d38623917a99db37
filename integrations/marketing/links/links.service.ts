import { sinceQuery } from "../../../core/database/lists/list.ts";
import { action } from "../../../core/declare/action.ts";
import { list, readInstant, uuid } from "../../../core/schema/schema.ts";
import { connectionOf } from "../../../mixins/google/connection.ts";
import { resource } from "../../../mixins/resource.ts";
import { MarketingLink } from "../models.ts";
import { sources } from "../sources/registry.ts";
import { fromAdvertising } from "./from-advertising.ts";
import { linksOf, lockedLink, writtenLink } from "./link-rows.ts";
import { MarketingLinkCreate, MarketingLinkRead } from "./link-schemas.ts";
import { attachLink, detachLink } from "./link-writes.ts";

/** Links of clients to accounts at metric sources (marketing-ads §2.2). */
export default resource("marketing.links", {
  model: MarketingLink,
  subscribe: fromAdvertising,
  actions: {
    list: action({
      rest: "GET /marketing/links",
      summary: "List the accounts that a client is linked to",
      description: "Removed links too, by source and name. Those of a hidden source only for callers who may manage links.",
      permission: "marketing.metrics.read",
      query: { company_id: { ...uuid(), description: "The client" }, ...sinceQuery },
      returns: list(MarketingLinkRead),
      errors: ["not_found"],
      handler: ({ params: { company_id, updated_since: since } }) =>
        linksOf(company_id, since === undefined ? null : readInstant(since)),
    }),

    create: action({
      rest: "POST /marketing/links",
      summary: "Link a client to an account at a metric source",
      description:
        "Read with your own connection. An account that the client is or was linked to keeps its link and gets the new name, website and connection. A job reads the past days in the background, the latest first: 800, or 480 of Search Console. An advertising account that is attached to another client is refused; one of a client that you do not see is not found.",
      permission: "marketing.link.manage",
      body: MarketingLinkCreate,
      returns: MarketingLinkRead,
      errors: [
        "not_found",
        "validation errors.marketing_account_of_another_client",
        "validation errors.marketing_external_id_invalid",
        "validation errors.marketing_rankmath_not_connected",
        "validation errors.marketing_rankmath_website_required",
      ],
      async handler(ctx) {
        const { body } = ctx.params;
        const ridesGrant = sources.get(body.source)?.credential.kind === "grant";
        const connection = ridesGrant ? await connectionOf() : undefined;
        return writtenLink(await attachLink(body, connection?.id ?? null));
      },
    }),

    remove: action({
      rest: "DELETE /marketing/links/:link_id",
      summary: "Remove a link; its figures stay",
      permission: "marketing.link.manage",
      async handler(ctx) {
        detachLink(await lockedLink(ctx.params.link_id));
      },
    }),
  },
});
