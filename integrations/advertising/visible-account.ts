import { ofSelectedCompany } from "../../core/database/lists/selection.ts";
import { columns } from "../../core/database/model.ts";
import { queryOne } from "../../core/database/query.ts";
import { notFound } from "../../core/errors/errors.ts";
import { request } from "../../core/request/context.ts";
import { statement } from "../../core/sql/statement.ts";
import { AdsAccount, type AdsAccountRow } from "../../mixins/google-ads/models.ts";

const VISIBLE = `(t.company_id is null or ${ofSelectedCompany("t.company_id", "$3::uuid[]")})`;
const ROW = statement(`select ${columns(AdsAccount, "t")} from ads_accounts t where t.organisation_id = $1 and t.id = $2
  and ($3::uuid[] is null or ${VISIBLE})`);

/** The account, if the caller sees it; restricted staff also see accounts without a client. @throws 404 */
export async function visibleAccount(id: string): Promise<AdsAccountRow> {
  const { organisation, principal } = request();
  const row = await queryOne<AdsAccountRow>(ROW, [organisation.id, id, principal?.selection ?? null]);
  if (!row) throw notFound();
  return row;
}
