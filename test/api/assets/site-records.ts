import type pg from "pg";
import type { Tenant } from "../../support/service.ts";

let counter = 0;

/** A name of a domain that nothing else has. */
export const freshName = (): string => `site${++counter}-${process.pid}.example`;

/** Stores a domain of a company, or of a new one. @returns its id, name and company */
export async function domainOf(
  sql: pg.Client,
  tenant: Tenant,
  { name = freshName(), company_id }: { name?: string; company_id?: string } = {},
): Promise<{ id: string; name: string; company_id: string }> {
  const company = company_id ?? (await tenant.company()).id;
  const { rows } = await sql.query(
    `insert into domains (id, organisation_id, company_id, name, label, tld, start_date)
     values (gen_random_uuid(), $1, $2, $3, $3, 'example', '2026-01-01') returning id`,
    [tenant.organisation.id, company, name],
  );
  return { id: rows[0].id, name, company_id: company };
}

/** The values of one field over a page or an array, in its order. */
export const valuesOf = (body: { items?: object[] } | object[], field: string): unknown[] =>
  (Array.isArray(body) ? body : (body.items ?? [])).map((one) => (one as Record<string, unknown>)[field]);
