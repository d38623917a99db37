import { queryOne } from "../../core/database/query.ts";
import { notFound } from "../../core/errors/errors.ts";
import { request } from "../../core/request/context.ts";
import { statement } from "../../core/sql/statement.ts";

/** The fields of a domain that the edge needs. */
export interface VisibleDomain {
  id: string;
  /** In ASCII. */
  name: string;
}

const ALL = statement("select d.id, d.name from domains d where d.organisation_id = $1 and d.id = $2");
const SELECTED = statement(`select d.id, d.name from domains d
  where d.organisation_id = $1 and d.id = $2 and d.company_id in (select selected_companies($3::uuid[]))`);

/** A domain visible to the caller. @throws 404 */
export async function visibleDomain(id: string): Promise<VisibleDomain> {
  const { organisation, principal } = request();
  const sources = principal?.selection ?? null;
  const found =
    sources === null
      ? await queryOne<VisibleDomain>(ALL, [organisation.id, id])
      : await queryOne<VisibleDomain>(SELECTED, [organisation.id, id, sources]);
  if (!found) throw notFound();
  return found;
}
