import { query } from "../../../core/database/query.ts";
import { statement } from "../../../core/database/statement.ts";
import type { Effect } from "../../../core/declare/effects.ts";
import { reportChange } from "../../../core/jobs/record-changes.ts";
import { request } from "../../../core/request/context.ts";

const GOING = statement(`select d.id, w.id as website_id from domains d
    left join websites w on w.organisation_id = d.organisation_id and w.domain_id = d.id
  where d.organisation_id = $1 and (d.id = $2 or d.company_id = $3) order by d.id`);

/** Reports the deletion of one domain, or of all of a client, and of their websites to outgoing webhooks. */
export async function reportGone({
  domain_id = null,
  company_id = null,
}: Partial<Record<"domain_id" | "company_id", string | null>>) {
  const place = [request().organisation.id, domain_id, company_id];
  const going = await query<{ id: string; website_id: string | null }>(GOING, place);
  reportChange(
    "website",
    going.flatMap(({ website_id }) => website_id ?? []),
    "deleted",
  );
  reportChange(
    "domain",
    going.map(({ id }) => id),
    "deleted",
  );
}

/** Reports a deleted client's domains, which are deleted with it. */
export const domainsGone: Effect<"company.deleting"> = ({ company_id }) => reportGone({ company_id });
