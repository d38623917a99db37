import { action } from "../../core/action.ts";
import { listing, listQuery } from "../../core/list.ts";
import { tenantModel, types } from "../../core/model.ts";
import { projection } from "../../core/projection.ts";
import {
  answer,
  choice,
  input,
  instant,
  label,
  link,
  neverNull,
  nullable,
  optional,
  page,
  text,
  uuid,
} from "../../core/schema.ts";
import { changesOf, trail } from "../../core/trail.ts";
import { insert, remove, update } from "../../core/write.ts";
import { resource, rowsOf } from "../../mixins/resource.ts";
import { COMPANY_NAME, companyFilter, requireCompany, throughCompany } from "./fixture-company.ts";

const STATUSES = ["draft", "live", "retired"] as const;

const SiteRead = answer("FixtureSiteRead", {
  id: uuid(),
  org_id: uuid(),
  company_id: uuid(),
  company_name: text(255),
  name: label(255),
  url: nullable(link(512)),
  status: choice(STATUSES),
  created_at: instant(),
  updated_at: instant(),
});
const SiteCreate = input("FixtureSiteCreate", {
  company_id: uuid(),
  name: label(255),
  url: optional(nullable(link(512))),
  status: optional(choice(STATUSES, { default: "live" })),
});
const SiteUpdate = input("FixtureSiteUpdate", {
  company_id: optional(neverNull(nullable(uuid()))),
  name: optional(neverNull(nullable(label(255)))),
  url: optional(nullable(link(512))),
  status: optional(neverNull(nullable(choice(STATUSES)))),
});

const Site = tenantModel("fixture_sites", { company_id: types.UUID, name: types.TEXT, url: types.TEXT, status: types.TEXT });
const siteProjection = projection({
  table: "fixture_sites",
  schema: SiteRead,
  columns: { company_name: "c.name" },
  joins: COMPANY_NAME,
});
export const siteListing = listing(
  {
    table: "fixture_sites",
    searchable: true,
    order: "name",
    sorts: {
      name: { by: "t.name", text: true },
      updated_at: { by: "t.updated_at" },
      company: {
        by: "sc.name",
        text: true,
        join: "join companies sc on sc.organisation_id = t.organisation_id and sc.id = t.company_id",
      },
    },
    filters: { ...companyFilter, status: { type: "text", when: (slot) => `t.status = ${slot}` } },
    visible: throughCompany,
  },
  siteProjection,
);
const sites = rowsOf({ model: Site, projection: siteProjection, listing: siteListing, visible: throughCompany });

/** Sites of companies, of the licensed module `websites`. */
export const sitesActor = resource("websites.fixture", {
  model: Site,
  actions: {
    list: action({
      rest: "GET /fixture/sites",
      summary: "List sites",
      permission: "websites.website.read",
      query: { ...listQuery(siteListing.spec.sorts), company_id: optional(uuid()), status: optional(choice(STATUSES)) },
      returns: page(SiteRead),
      async handler(ctx) {
        const { limit = 50, offset = 0, count = true, sort, q, updated_since, company_id, status } = ctx.params;
        return sites.page({ limit, offset, count, sort, q, updated_since, filters: { company_id, status } });
      },
    }),

    create: action({
      rest: "POST /fixture/sites",
      summary: "Create a site",
      permission: "websites.website.write",
      body: SiteCreate,
      returns: SiteRead,
      errors: ["not_found"],
      async handler(ctx) {
        await requireCompany(ctx.params.body.company_id);
        const id = await insert(Site, ctx.params.body);
        await trail("website", id, "created");
        return sites.written(id);
      },
    }),

    get: action({
      rest: "GET /fixture/sites/:fixture_site_id",
      summary: "Read one site",
      permission: "websites.website.read",
      returns: SiteRead,
      handler: (ctx) => sites.one(ctx.params["fixture_site_id"] as string),
    }),

    update: action({
      rest: "PATCH /fixture/sites/:fixture_site_id",
      summary: "Change a site",
      permission: "websites.website.write",
      body: SiteUpdate,
      returns: SiteRead,
      async handler(ctx) {
        const id = ctx.params["fixture_site_id"] as string;
        const before = await sites.forWrite(id);
        const sent = ctx.params.body;
        if (sent.company_id !== undefined) await requireCompany(sent.company_id as string);
        const changed = Object.fromEntries(Object.entries(sent).filter(([field, value]) => before[field] !== value));
        if (Object.keys(changed).length > 0) {
          await update(Site, id, changed);
          await trail("website", id, "updated", { changes: changesOf(["name", "url", "status"], before, changed) });
        }
        return sites.written(id);
      },
    }),

    remove: action({
      rest: "DELETE /fixture/sites/:fixture_site_id",
      summary: "Delete a site",
      permission: "websites.website.delete",
      async handler(ctx) {
        const id = ctx.params["fixture_site_id"] as string;
        await sites.forWrite(id);
        await remove(Site, id);
      },
    }),

    panel: action({
      summary: "Sites on the page of a company",
      permission: "websites.website.read",
      query: { company_id: uuid() },
      contributes: { panel: { entity: "company", key: "websites.fixture", position: 40 } },
      async handler(ctx) {
        const filters = { company_id: ctx.params.company_id };
        const found = (await sites.page({ limit: 200, offset: 0, count: true, filters })).parse() as {
          items: { name: string }[];
          total: number;
        };
        return found.total === 0 ? {} : { total: found.total, names: found.items.map(({ name }) => name) };
      },
    }),

    tile: action({
      summary: "Number of sites of a company",
      permission: "websites.website.read",
      query: { company_id: uuid() },
      contributes: { tile: { entity: "company", key: "websites.fixture", position: 40 } },
      async handler(ctx) {
        const filters = { company_id: ctx.params.company_id };
        const { total } = (await sites.page({ limit: 1, offset: 0, count: true, filters })).parse() as { total: number };
        return total === 0 ? null : { value: String(total) };
      },
    }),
  },
});
