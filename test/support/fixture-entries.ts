import { action } from "../../core/action.ts";
import { type Principal, request } from "../../core/context.ts";
import { type Row, statement } from "../../core/database.ts";
import { forbidden, notFound } from "../../core/errors.ts";
import { listing, listQuery } from "../../core/list.ts";
import { tenantModel, types } from "../../core/model.ts";
import { holds } from "../../core/permissions.ts";
import { projection } from "../../core/projection.ts";
import { query } from "../../core/query.ts";
import {
  answer,
  date,
  flag,
  input,
  instant,
  integer,
  list,
  neverNull,
  nullable,
  optional,
  page,
  text,
  uuid,
} from "../../core/schema.ts";
import { insert, remove, update } from "../../core/write.ts";
import { resource, rowsOf } from "../../mixins/resource.ts";
import { COMPANY_NAME, companyFilter, requireCompany, throughCompany } from "./fixture-company.ts";

const NOBODY = "00000000-0000-0000-0000-000000000000";
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

const EntryRead = answer("FixtureEntryRead", {
  id: uuid(),
  company_id: uuid(),
  company_name: text(255),
  user_id: uuid(),
  description: text(500),
  minutes: integer(1, 1440),
  worked_on: date(),
  created_at: instant(),
  updated_at: instant(),
});
const EntryCreate = input("FixtureEntryCreate", {
  company_id: uuid(),
  description: optional(text(500, { default: "" })),
  minutes: integer(1, 1440),
  worked_on: date(),
});
const EntryUpdate = input("FixtureEntryUpdate", {
  description: optional(neverNull(nullable(text(500)))),
  minutes: optional(neverNull(nullable(integer(1, 1440)))),
  worked_on: optional(neverNull(nullable(date()))),
});

const Entry = tenantModel("fixture_entries", {
  company_id: types.UUID,
  account_id: types.UUID,
  description: types.TEXT,
  minutes: types.INTEGER,
  worked_on: types.DATEONLY,
});
const entryProjection = projection({
  table: "fixture_entries",
  schema: EntryRead,
  columns: { company_name: "c.name", user_id: "t.account_id" },
  joins: COMPANY_NAME,
});
export const entryListing = listing(
  {
    table: "fixture_entries",
    searchable: true,
    order: "worked_on",
    sorts: { worked_on: { by: "t.worked_on" }, updated_at: { by: "t.updated_at" } },
    filters: { ...companyFilter, account_id: { type: "uuid", when: (slot) => `t.account_id = ${slot}` } },
    visible: throughCompany,
  },
  entryProjection,
);
const entries = rowsOf({ model: Entry, projection: entryProjection, listing: entryListing, visible: throughCompany });

/** Someone else's entry does not exist for who holds only `:own` (conventions §4.3). */
const requireOwn = (principal: Principal | null, owner: unknown, check: string): void => {
  const own = principal?.accountId != null && principal.accountId === owner;
  if (!own && !holds(principal?.grants ?? [], `${check}:any`)) throw notFound();
};
const mayWrite = (row: Row): void => requireOwn(request().principal, row["account_id"], "time.entry.write");

const HOURS = statement(`select company_id as id, sum(minutes)::float8 / 60 as spent from fixture_entries
  where organisation_id = $1 and company_id = any($2::uuid[]) and ($3::uuid is null or account_id = $3::uuid) group by company_id`);

/** Entries of people, private to each, of the licensed module `time`. */
export const entriesActor = resource("time.fixture", {
  model: Entry,
  actions: {
    list: action({
      rest: "GET /fixture/entries",
      summary: "List the caller's entries",
      permission: "time.entry.read",
      query: {
        ...listQuery(entryListing.spec.sorts),
        company_id: optional(uuid()),
        user_id: optional(uuid()),
        all_users: optional(flag(false)),
      },
      returns: page(EntryRead),
      async handler(ctx) {
        const { limit = 50, offset = 0, count = true, sort, q, updated_since, company_id, user_id, all_users } = ctx.params;
        const { principal } = ctx.meta;
        const asked = user_id ?? (all_users ? undefined : (principal?.accountId ?? NOBODY));
        const own = asked === principal?.accountId || (user_id === undefined && !all_users);
        if (!own && !holds(principal?.grants ?? [], "time.entry.read:any")) throw forbidden();
        return entries.page({ limit, offset, count, sort, q, updated_since, filters: { company_id, account_id: asked } });
      },
    }),

    create: action({
      rest: "POST /fixture/entries",
      summary: "Write an entry of one's own",
      permission: "time.entry.write",
      body: EntryCreate,
      returns: EntryRead,
      errors: ["not_found"],
      async handler(ctx) {
        const accountId = ctx.meta.principal?.accountId;
        if (!accountId) throw forbidden();
        await requireCompany(ctx.params.body.company_id);
        return entries.written(await insert(Entry, { ...ctx.params.body, account_id: accountId }));
      },
    }),

    get: action({
      rest: "GET /fixture/entries/:fixture_entry_id",
      summary: "Read one entry",
      permission: "time.entry.read",
      returns: EntryRead,
      async handler(ctx) {
        const found = await entries.one(ctx.params["fixture_entry_id"] as string);
        requireOwn(ctx.meta.principal, (found.parse() as { user_id: string }).user_id, "time.entry.read");
        return found;
      },
    }),

    update: action({
      rest: "PATCH /fixture/entries/:fixture_entry_id",
      summary: "Change an entry",
      permission: "time.entry.write",
      body: EntryUpdate,
      returns: EntryRead,
      async handler(ctx) {
        const id = ctx.params["fixture_entry_id"] as string;
        const before = await entries.forWrite(id, mayWrite);
        const changed = Object.fromEntries(Object.entries(ctx.params.body).filter(([field, value]) => before[field] !== value));
        if (Object.keys(changed).length > 0) await update(Entry, id, changed);
        return entries.written(id);
      },
    }),

    remove: action({
      rest: "DELETE /fixture/entries/:fixture_entry_id",
      summary: "Delete an entry",
      permission: "time.entry.write",
      async handler(ctx) {
        const id = ctx.params["fixture_entry_id"] as string;
        await entries.forWrite(id, mayWrite);
        await remove(Entry, id);
      },
    }),

    hours: action({
      summary: "Hours spent per company",
      permission: "time.entry.read",
      query: { ids: list(uuid()) },
      contributes: { figures: "company.hours" },
      async handler(ctx) {
        const { organisation, principal } = request();
        const anybody = holds(principal?.grants ?? [], "time.entry.read:any");
        const whose = anybody ? null : (principal?.accountId ?? NOBODY);
        const rows = await query<{ id: string; spent: number }>(HOURS, [organisation.id, ctx.params.ids, whose]);
        return Object.fromEntries(rows.map(({ id, spent }) => [id, { ...NO_HOURS, spent_hours: spent }]));
      },
    }),
  },
});
