import { query } from "../../../core/database/query.ts";
import { lock } from "../../../core/database/write.ts";
import type { Hook } from "../../../core/declare/hooks.ts";
import { request } from "../../../core/request/context.ts";
import { handedOver } from "../../../core/rules/roster.ts";
import { statement } from "../../../core/sql/statement.ts";
import { Company } from "../models.ts";
import { changeCompany, companyRoster } from "./company-writes.ts";

const STARRED = statement(`select a.company_id as id from company_assignees a
  where a.organisation_id = $1 and a.account_id = $2 and a.is_primary order by a.company_id`);

/** Hands the stars of a member's clients over, each as an ordinary change of the client. */
export const handOverCompanies: Hook<"membership.handing_over"> = async ({ from, to, moved }) => {
  const starred = await query<{ id: string }>(STARRED, [request().organisation.id, from]);
  for (const { id } of starred) {
    const before = await lock(Company, id);
    if (before) await changeCompany(before, { assignees: handedOver(await companyRoster(id), from, to) });
  }
  moved.push({ kind: "company", count: starred.length });
};
