import { listQuery } from "../../../core/database/lists/list.ts";
import { action } from "../../../core/declare/action.ts";
import { flag, list, optional, page } from "../../../core/schema/schema.ts";
import { collect, figuresOf, mayRead } from "../../../mixins/contributions.ts";
import { resource } from "../../../mixins/resource.ts";
import { readOrRefer } from "../aliases/aliases.ts";
import { Company } from "../models.ts";
import { companies, companyFilters, companyListing, companyQuery } from "./company.list.ts";
import { CompanyCreate, CompanyRead, CompanyUpdate, PanelData, SummaryData } from "./company-schemas.ts";
import { changeCompany, createCompany, deleteCompany } from "./company-writes.ts";

/** Budget roll-up of a company without counted projects (clients chapter §3.6). */
const NO_HOURS = {
  budget_hours: null,
  spent_hours: 0,
  billable_hours: 0,
  unapproved_hours: 0,
  remaining_hours: null,
  unbudgeted_hours: 0,
  project_count: 0,
  period: null,
};

export default resource("companies", {
  model: Company,
  actions: {
    list: action({
      rest: "GET /companies",
      summary: "List companies",
      permission: "companies.company.read",
      query: {
        ...listQuery(companyListing.spec.sorts),
        ...companyQuery,
        hours: optional(flag(false)),
      },
      returns: page(CompanyRead),
      tool: {
        name: "find_client",
        description: "Finds clients (companies) by a part of their name, address, number or website; ten at a time.",
        sets: { limit: "10" },
        takes: ["q", "status", "mine", "offset"],
      },
      async handler(ctx) {
        const { principal } = ctx.meta;
        const found = await companies.page(ctx.params, companyFilters(ctx.params, principal));
        // As on projects, whose hours these are (work §2.4): never for client logins.
        const seesHours = mayRead(principal, "time.entry.read") && !principal?.isClientLogin;
        if (!ctx.params.hours || !seesHours) return found;
        const listed = found.parse() as { items: { id: string; hours: unknown }[] };
        const figures = await figuresOf(
          ctx,
          "company.hours",
          listed.items.map(({ id }) => id),
        );
        for (const item of listed.items) item.hours = figures[item.id] ?? NO_HOURS;
        return listed;
      },
    }),

    create: action({
      rest: "POST /companies",
      summary: "Create a company",
      permission: "companies.company.write",
      body: CompanyCreate,
      returns: CompanyRead,
      errors: ["invalid_assignee", "validation errors.inactive_member", "multiple_primary_assignees", "conflict"],
      tool: {
        name: "create_client",
        description: "Creates a client (company).",
        inArea: true,
        takes: ["name", "website", "phone", "city", "country", "vat_number", "notes"],
      },
      async handler(ctx) {
        return companies.answerWith(await createCompany(ctx.params.body));
      },
    }),

    get: action({
      rest: "GET /companies/:company_id",
      summary: "Read one company",
      permission: "companies.company.read",
      returns: CompanyRead,
      errors: ["moved"],
      handler: (ctx) => readOrRefer("company", ctx.params.company_id, (id) => companies.one(id)),
    }),

    update: action({
      rest: "PATCH /companies/:company_id",
      summary: "Change a company",
      permission: "companies.company.write",
      body: CompanyUpdate,
      returns: CompanyRead,
      errors: ["invalid_assignee", "validation errors.inactive_member", "multiple_primary_assignees", "conflict"],
      async handler(ctx) {
        const id = ctx.params.company_id;
        await changeCompany(await companies.forWrite(id), ctx.params.body);
        return companies.answerWith(id);
      },
    }),

    remove: action({
      rest: "DELETE /companies/:company_id",
      summary: "Delete a company",
      description:
        "Deletes its links, roster, group memberships and drafts of invoices and quotes; the trail survives. A company with issued invoices or payments cannot be deleted.",
      permission: "companies.company.delete",
      errors: ["conflict errors.companies.has_issued_invoices"],
      async handler(ctx) {
        const { id } = await companies.forWrite(ctx.params.company_id);
        await deleteCompany(id);
      },
    }),

    panels: action({
      rest: "GET /companies/:company_id/panels",
      summary: "Read the detail panels of every module that the caller can read",
      permission: "companies.company.read",
      returns: list(PanelData),
      async handler(ctx) {
        const id = ctx.params.company_id;
        const company = (await companies.one(id)).parse();
        const panels = await collect<"panel", Record<string, unknown>>(ctx, "panel", { company_id: id });
        const own = { key: "companies.details", position: 10, data: company as object, prominence: "primary" as const };
        return [own, ...panels.map(({ contribution, answer }) => ({ ...contribution, data: answer }))]
          .map(({ key, position, data, prominence = "register", size = "full" }: PanelSource) => ({
            key,
            title_key: `panels.${key}`,
            position,
            data,
            prominence,
            size,
            empty: Object.values(data).every(holdsNothing),
          }))
          .sort((one, other) => one.position - other.position || one.key.localeCompare(other.key));
      },
    }),

    summary: action({
      rest: "GET /companies/:company_id/summary",
      verb: "get",
      summary: "Read figures about a company from every module that the caller can read",
      permission: "companies.company.read",
      returns: list(SummaryData),
      async handler(ctx) {
        const id = ctx.params.company_id;
        await companies.one(id);
        const tiles = await collect<"tile", Record<string, unknown> | null>(ctx, "tile", { company_id: id });
        return tiles
          .flatMap(({ contribution: { key, position }, answer }) =>
            answer ? [{ ...EMPTY_TILE, ...answer, key, label_key: `summary.${key}`, position }] : [],
          )
          .sort((one, other) => one.position - other.position || one.key.localeCompare(other.key));
      },
    }),
  },
});

/** Whether a panel has nothing to show. */
const holdsNothing = (value: unknown): boolean =>
  value === null || value === 0 || (typeof value === "object" && Object.keys(value).length === 0);

interface PanelSource {
  key: string;
  position: number;
  data: object;
  prominence?: "primary" | "register";
  size?: "full" | "half";
}

const EMPTY_TILE = { value: "", format: "number", currency: null, tone: "neutral", hint_key: null, hint_params: {}, href: null };
