import { query } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";

const LEDGER_CODES = statement("select id, ledger_code from tax_rates where organisation_id = $1 and id = any($2::uuid[])");

/** The ledger accounts of tax rates, by id. */
export async function ledgerCodes(rateIds: readonly string[]): Promise<Map<string, string | null>> {
  const rows = await query<{ id: string; ledger_code: string | null }>(LEDGER_CODES, [request().organisation.id, rateIds]);
  return new Map(rows.map(({ id, ledger_code }) => [id, ledger_code]));
}
