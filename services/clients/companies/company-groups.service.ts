import { sinceQuery } from "../../../core/database/lists/list.ts";
import { projection } from "../../../core/database/projection.ts";
import { query } from "../../../core/database/query.ts";
import { differences, queueInsert, queueRemove, queueUpdate, touch } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { request } from "../../../core/request/context.ts";
import { list } from "../../../core/schema/schema.ts";
import { type Statement, statement } from "../../../core/sql/statement.ts";
import { changesOf, trail } from "../../../core/trail/trail.ts";
import { resource, rowsOf } from "../../../mixins/resource.ts";
import { withoutWidening } from "../../../mixins/widening.ts";
import { CompanyGroup } from "../models.ts";
import { GroupCompanies, GroupCreate, GroupMemberships, GroupRead, GroupUpdate } from "./company-schemas.ts";

const groupProjection = projection({
  model: CompanyGroup,
  schema: GroupRead,
  columns: { company_ids: "companies.ids", membership_ids: "members.ids" },
  // A restricted manager sees only the companies in its own selection.
  joins: `left join lateral (select coalesce(json_agg(gc.company_id order by gc.company_id), '[]') as ids from company_group_companies gc
      where gc.organisation_id = t.organisation_id and gc.group_id = t.id
        and ($3::uuid[] is null or gc.company_id in (select selected_companies($3::uuid[])))) companies on true
    left join lateral (select coalesce(json_agg(gm.membership_id order by gm.membership_id), '[]') as ids from company_group_memberships gm
      where gm.organisation_id = t.organisation_id and gm.group_id = t.id) members on true`,
});
const groups = rowsOf({
  model: CompanyGroup,
  projection: groupProjection,
  narrowed: true,
  whole: { order: "t.position, t.name collate kantoor_text, t.id", limit: 500 },
});

const DROP_COMPANIES = statement(`delete from company_group_companies g where g.organisation_id = $1 and g.group_id = $2
  and not g.company_id = any($3::uuid[]) and ($4::uuid[] is null or g.company_id in (select selected_companies($4::uuid[]))) returning 1`);
const ADD_COMPANIES = statement(`insert into company_group_companies (organisation_id, group_id, company_id)
  select $1, $2, t.id from companies t where t.organisation_id = $1 and t.id = any($3::uuid[])
     and ($4::uuid[] is null or t.id in (select selected_companies($4::uuid[])))
  on conflict do nothing returning 1`);
const COUNT_COMPANIES = statement(
  "select count(*)::int as count from company_group_companies where organisation_id = $1 and group_id = $2",
);
const DROP_MEMBERS = statement(`delete from company_group_memberships where organisation_id = $1 and group_id = $2
  and not membership_id = any($3::uuid[]) returning 1`);
const ADD_MEMBERS = statement(`insert into company_group_memberships (organisation_id, group_id, membership_id)
  select $1, $2, m.id from memberships m where m.organisation_id = $1 and m.id = any($3::uuid[])
  on conflict do nothing returning 1`);
const COUNT_MEMBERS = statement(
  "select count(*)::int as count from company_group_memberships where organisation_id = $1 and group_id = $2",
);

/** Replaces one of a group's sets; records the new count in the trail only if the set changed. */
async function replaceSet(
  id: string,
  verb: string,
  ids: readonly string[],
  [drop, add, count]: [Statement, Statement, Statement],
  extra: unknown[],
  memberships: readonly string[] = [],
) {
  const group = await groups.forWrite(id);
  const place = [request().organisation.id, id];
  const [dropped, added, counted] = await withoutWidening({ groupId: id, memberships }, () =>
    Promise.all([
      query(drop, [...place, ids, ...extra]),
      query(add, [...place, ids, ...extra]),
      query<{ count: number }>(count, place),
    ]),
  );
  if (dropped.length + added.length === 0) return;
  touch(CompanyGroup, id);
  trail("company_group", id, verb, { name: group.name, count: counted[0]?.count ?? 0 });
}

export default resource("companies.groups", {
  model: CompanyGroup,
  actions: {
    list: action({
      rest: "GET /companies/groups",
      summary: "List company groups with their companies and members",
      permission: "companies.group.manage",
      query: sinceQuery,
      returns: list(GroupRead),
      handler: ({ params: { updated_since } }) => groups.all({ updated_since }),
    }),

    create: action({
      rest: "POST /companies/groups",
      summary: "Create a company group",
      permission: "companies.group.manage",
      body: GroupCreate,
      returns: GroupRead,
      async handler(ctx) {
        const name = ctx.params.body.name.trim();
        const id = queueInsert(CompanyGroup, { name, position: 0 });
        trail("company_group", id, "created", { name });
        return groups.answerWith(id);
      },
    }),

    update: action({
      rest: "PATCH /companies/groups/:group_id",
      summary: "Rename or move a company group",
      permission: "companies.group.manage",
      body: GroupUpdate,
      returns: GroupRead,
      async handler(ctx) {
        const id = ctx.params.group_id;
        const before = await groups.forWrite(id);
        const { name, ...own } = ctx.params.body;
        const changed = differences(before, { ...own, name: name?.trim() });
        if (!changed) return groups.answerWith(id);
        queueUpdate(CompanyGroup, id, changed);
        const changes = changesOf(CompanyGroup.tracked, before, changed);
        if (Object.keys(changes).length > 0) trail("company_group", id, "updated", { changes });
        return groups.answerWith(id);
      },
    }),

    remove: action({
      rest: "DELETE /companies/groups/:group_id",
      summary: "Delete a company group",
      description:
        "Members without another group see every company again; so a caller with a restricted view cannot delete a group that is a member's last.",
      permission: "companies.group.manage",
      async handler(ctx) {
        const id = ctx.params.group_id;
        const { name } = await groups.forWrite(id);
        await withoutWidening({ groupId: id }, () => queueRemove(CompanyGroup, id));
        trail("company_group", id, "deleted", { name });
      },
    }),

    setCompanies: action({
      rest: "PUT /companies/groups/:group_id/companies",
      summary: "Replace the companies of a group",
      description: "Unknown ids are dropped; companies outside the caller's own selection stay as they are.",
      permission: "companies.group.manage",
      body: GroupCompanies,
      async handler(ctx) {
        const sources = ctx.meta.principal?.selection ?? null;
        const statements: [Statement, Statement, Statement] = [DROP_COMPANIES, ADD_COMPANIES, COUNT_COMPANIES];
        await replaceSet(ctx.params.group_id, "companies_changed", ctx.params.body.company_ids, statements, [sources]);
      },
    }),

    setMemberships: action({
      rest: "PUT /companies/groups/:group_id/memberships",
      summary: "Replace the members whose view a group widens or narrows",
      permission: "companies.group.manage",
      body: GroupMemberships,
      async handler(ctx) {
        const statements: [Statement, Statement, Statement] = [DROP_MEMBERS, ADD_MEMBERS, COUNT_MEMBERS];
        const ids = ctx.params.body.membership_ids;
        await replaceSet(ctx.params.group_id, "memberships_changed", ids, statements, [], ids);
      },
    }),
  },
});
