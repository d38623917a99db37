import { listing } from "../../../core/database/lists/list.ts";
import { projection } from "../../../core/database/projection.ts";
import { flag, optional, text } from "../../../core/declare/schema.ts";
import type { Principal } from "../../../core/request/context.ts";
import { rowsOf } from "../../../mixins/resource.ts";
import { Company } from "../models.ts";
import { CompanyRead } from "./company-schemas.ts";

const NAME = "coalesce(nullif(pa.full_name, ''), pa.email)";

/** A company is visible to a restricted principal when a source of its selection holds it. */
export const visibleCompany = (slot: string): string => `t.id in (select selected_companies(${slot}))`;

/** The one select behind every answer that shows a company. */
export const companyProjection = projection({
  model: Company,
  schema: CompanyRead,
  columns: { assignees: "roster.people", responsible_user_id: "roster.primary_id", hours: "null::json" },
  joins: `left join lateral (
    select coalesce(json_agg(json_build_object('user_id', ca.account_id, 'is_primary', ca.is_primary)
                             order by ca.is_primary desc, ca.created_at, ca.position), '[]') as people,
           (array_agg(ca.account_id) filter (where ca.is_primary))[1] as primary_id
      from company_assignees ca where ca.organisation_id = t.organisation_id and ca.company_id = t.id) roster on true`,
  keepsOrder: true,
});

/** Companies of one person that are all fetched to be sorted; of one with more, the order by name soon meets enough. */
const FEW = 5000;

/**
 * The first companies by assignee: person after person, each with the companies they are the primary assignee of, then those without
 * one until the page is full. People of the same name share a place, therefore the last of them with all of theirs.
 */
function firstByAssignee(descending: boolean): string {
  const order = descending ? "called desc" : "called";
  const rows = "($2::bigint + $3::bigint)";
  const byName = `order by c.name collate kantoor_text, c.id limit ${rows}`;
  const primary = "from company_assignees pc where pc.organisation_id = $1 and pc.is_primary";
  const joined = "from company_assignees pc join companies c on c.organisation_id = pc.organisation_id and c.id = pc.company_id";
  const another = (after: string) =>
    `(select o.account_id from company_assignees o where o.organisation_id = $1${after} order by o.account_id limit 1)`;
  return `with recursive held (id) as (
      ${another("")} union all select ${another(" and o.account_id > held.id")} from held where held.id is not null),
    people as (select pa.id, ${NAME} collate kantoor_text as called from held join accounts pa on pa.id = held.id),
    assigned as (
      select u.id, p.called from (select id, called from people order by ${order}) p cross join lateral unnest(case
          when (select count(*) from (select 1 ${primary} and pc.account_id = p.id limit ${FEW + 1}) n) <= ${FEW}
          then array(select c.id ${joined} where pc.organisation_id = $1 and pc.is_primary
                        and pc.account_id = p.id ${byName})
          else array(select c.id from companies c where c.organisation_id = $1
                        and (select pc.account_id ${primary} and pc.company_id = c.id) = p.id ${byName}) end) u(id)
       order by ${order} fetch first ${rows} rows with ties),
    sorted as materialized (select array(select c.id from assigned s join companies c on c.organisation_id = $1 and c.id = s.id
                             order by s.${order}, c.name collate kantoor_text, c.id limit ${rows}) as ids)
    select case when cardinality(ids) = ${rows} then ids else ids || array(select c.id from companies c where c.organisation_id = $1
        and (select true ${primary} and pc.company_id = c.id) is null ${byName}) end from sorted`;
}

/** The list of companies (clients chapter §3.5). */
export const companyListing = listing(
  {
    table: "companies",
    searchable: true,
    order: "name",
    sorts: {
      name: { by: "t.name", text: true },
      client_number: { by: "t.client_number", text: true, mayBeEmpty: true },
      status: { by: "t.status", text: true },
      created_at: { by: "t.created_at" },
      updated_at: { by: "t.updated_at" },
      assignee: {
        by: NAME,
        text: true,
        mayBeEmpty: true,
        join: `left join company_assignees pc on pc.organisation_id = t.organisation_id and pc.company_id = t.id and pc.is_primary
          left join accounts pa on pa.id = pc.account_id`,
        first: firstByAssignee,
      },
    },
    filters: {
      status: { type: "text[]", when: (slot) => `t.status = any(${slot})` },
      mine: {
        type: "uuid",
        when: (slot) => `exists (select 1 from company_assignees own where own.organisation_id = t.organisation_id
          and own.company_id = t.id and own.account_id = ${slot})`,
      },
    },
    visible: visibleCompany,
  },
  companyProjection,
);

/** Companies as the running request may see them. */
export const companies = rowsOf({
  model: Company,
  projection: companyProjection,
  listing: companyListing,
  visible: visibleCompany,
});

/** What a caller may ask of the list beside search and order; an export takes the same. */
export const companyQuery = {
  status: optional(text(200, { description: "Comma-separated statuses; absent means every status, archived included" })),
  mine: optional(flag(false)),
};

const NOBODY = "00000000-0000-0000-0000-000000000000";

/** The statuses a comma-separated filter names, or undefined when it names none. */
function statusesOf(filter: string | undefined): string[] | undefined {
  const tokens = (filter ?? "").split(",").flatMap((token) => token.trim() || []);
  return tokens.length > 0 ? tokens : undefined;
}

/** The same as filters of the listing. */
export const companyFilters = (
  { status, mine }: { status?: string | undefined; mine?: boolean | undefined },
  principal: Principal | null,
) => ({ status: statusesOf(status), mine: mine ? (principal?.accountId ?? NOBODY) : undefined });
