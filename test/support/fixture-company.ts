import { request } from "../../core/context.ts";
import { statement } from "../../core/database.ts";
import { notFound } from "../../core/errors.ts";
import { queryOne } from "../../core/query.ts";

const COMPANY = statement(`select 1 from companies t where t.organisation_id = $1 and t.id = $2
  and ($3::uuid[] is null or t.id in (select selected_companies($3::uuid[])))`);

/** @throws 404 for a company that does not exist here or lies outside the caller's selection */
export async function requireCompany(id: string): Promise<void> {
  const { organisation, principal } = request();
  if (!(await queryOne(COMPANY, [organisation.id, id, principal?.selection ?? null]))) throw notFound();
}

/** Selection of rows that hang on a company. */
export const throughCompany = (slot: string): string => `t.company_id in (select selected_companies(${slot}))`;
export const companyFilter = { company_id: { type: "uuid", when: (slot: string) => `t.company_id = ${slot}` } };
export const COMPANY_NAME = "join companies c on c.organisation_id = t.organisation_id and c.id = t.company_id";
