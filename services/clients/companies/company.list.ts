import { firstByRoster, personForOrder } from "../../../core/database/lists/first.ts";
import { linkedBy } from "../../../core/database/lists/linked.ts";
import { listing } from "../../../core/database/lists/list.ts";
import { projection } from "../../../core/database/projection.ts";
import type { Principal } from "../../../core/declare/principal.ts";
import { commaList, commaListed, flag, optional } from "../../../core/schema/schema.ts";
import { rowsOf } from "../../../mixins/resource.ts";
import { Company } from "../models.ts";
import { CompanyRead, STATUSES } from "./company-schemas.ts";

/** A company is visible to a restricted principal when a source of its selection contains it. */
export const visibleCompany = (slot: string): string => `t.id in (select selected_companies(${slot}))`;

/** The one select behind every answer with a company. */
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
        by: "pa.name",
        text: true,
        mayBeEmpty: true,
        join: `left join company_assignees pc on pc.organisation_id = t.organisation_id and pc.company_id = t.id and pc.is_primary
          ${personForOrder("pa", "pc.account_id")}`,
        first: firstByRoster({
          table: "companies",
          roster: "company_assignees",
          owner: "company_id",
          ties: "t.name collate kantoor_text, t.id",
        }),
      },
    },
    filters: {
      status: { type: "text[]", when: (slot) => `t.status = any(${slot})` },
      mine: linkedBy("company_assignees", "company_id", "account_id"),
    },
    visible: visibleCompany,
    kept: { by: "status" },
  },
  companyProjection,
);

/** Companies that the running request may see. */
export const companies = rowsOf({
  model: Company,
  projection: companyProjection,
  listing: companyListing,
  visible: visibleCompany,
});

/** The filters of the list besides search and order; an export accepts the same. */
export const companyQuery = {
  status: optional(
    commaList(200, STATUSES, { description: "Comma-separated statuses; absent means every status, archived included" }),
  ),
  mine: optional(flag(false)),
};

const NOBODY = "00000000-0000-0000-0000-000000000000";

/** The filters of the listing for a query. */
export const companyFilters = (
  { status, mine }: { status?: string | undefined; mine?: boolean | undefined },
  principal: Principal | null,
) => ({ status: commaListed(status), mine: mine ? (principal?.accountId ?? NOBODY) : undefined });
