import { listQuery, sinceQuery } from "../../../core/database/lists/list.ts";
import { action } from "../../../core/declare/action.ts";
import { internal } from "../../../core/declare/makers/internal.ts";
import { flag, integer, list, optional, page } from "../../../core/schema/schema.ts";
import { resource } from "../../../mixins/resource.ts";
import { availableDomains } from "./available-domains.ts";
import { Website } from "./models.ts";
import { websiteListing, websiteQuery, websites } from "./website.list.ts";
import { AvailableDomain, WebsiteCreate, WebsiteRead, WebsiteUpdate } from "./website-schemas.ts";
import { changeWebsite, createWebsite, removeWebsite } from "./website-writes.ts";

/** Websites in the panel of a company (clients chapter §3.8). */
const IN_PANEL = 5;

export default resource("websites", {
  model: Website,
  actions: {
    list: action({
      rest: "GET /websites",
      summary: "List websites",
      description:
        "`q` searches the names of their domains, which is also what `name` sorts by. `meta=false` leaves names, owners and states empty.",
      permission: "websites.website.read",
      query: { ...listQuery(websiteListing.spec.sorts), ...websiteQuery, meta: optional(flag(true)) },
      returns: page(WebsiteRead),
      tool: {
        name: "find_website",
        description: "Finds websites by a part of their domain's name, of one client or of all.",
        inArea: true,
        takes: ["q", "company_id", "limit", "offset"],
      },
      handler: (ctx) => websites.page(ctx.params, ctx.params.meta),
    }),

    create: action({
      rest: "POST /websites",
      summary: "Add the website of a domain",
      permission: "websites.website.write",
      body: WebsiteCreate,
      example: {
        domain_id: "4ea11267-0c1e-4a5b-8d2f-4ea112670001",
        root: true,
        technical_owner: { type: "agency" },
        hosting_id: "7baac06f-0c1e-4a5b-8d2f-7baac06f0001",
        uptime_enabled: true,
      },
      returns: WebsiteRead,
      errors: ["not_found", "conflict", "invalid_hosting", "invalid_party"],
      async handler(ctx) {
        return websites.answerWith(await createWebsite(ctx.params.body));
      },
    }),

    availableDomains: action({
      rest: "GET /websites/available-domains",
      summary: "List domains without a website, by name",
      permission: "websites.website.write",
      query: { limit: optional(integer(1, 500, { default: 200 })), ...sinceQuery },
      returns: list(AvailableDomain),
      handler: (ctx) => availableDomains(ctx.params.limit ?? 200, ctx.params.updated_since),
    }),

    get: action({
      rest: "GET /websites/:website_id",
      summary: "Read one website",
      permission: "websites.website.read",
      returns: WebsiteRead,
      handler: (ctx) => websites.one(ctx.params.website_id),
    }),

    update: action({
      rest: "PATCH /websites/:website_id",
      summary: "Change a website; it stays with its domain",
      permission: "websites.website.write",
      body: WebsiteUpdate,
      example: { uptime_enabled: false },
      returns: WebsiteRead,
      errors: ["invalid_hosting", "invalid_party"],
      async handler(ctx) {
        const id = ctx.params.website_id;
        await changeWebsite(await websites.forWrite(id), ctx.params.body);
        return websites.answerWith(id);
      },
    }),

    remove: action({
      rest: "DELETE /websites/:website_id",
      summary: "Delete a website; its domain stays",
      permission: "websites.website.delete",
      async handler(ctx) {
        await removeWebsite(ctx.params.website_id);
      },
    }),

    panel: internal({
      summary: "The newest websites of a company, and how many there are",
      permission: "websites.website.read",
      contributes: { panel: { entity: "company", key: "websites.company", position: 70, prominence: "register" } },
      async handler(ctx) {
        const found = await websites.page({ limit: IN_PANEL, company_id: ctx.params.company_id });
        const { items, total } = found.parse() as { items: object[]; total: number };
        return { items, total };
      },
    }),
  },
});
