import { columns } from "../../../core/database/model.ts";
import { query } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { JsonText } from "../../../core/sql/json-text.ts";
import { statement } from "../../../core/sql/statement.ts";
import { BankStatement } from "../models.ts";
import { STATEMENT_ROWS } from "./statement.list.ts";
import type { Stored } from "./storing.ts";

const ROWS = statement(
  STATEMENT_ROWS.rows(
    `(select ${columns(BankStatement, "s")} from bank_statements s join unnest($2::uuid[]) with ordinality w(id, n) on w.id = s.id
       where s.organisation_id = $1 order by w.n)`,
  ),
);

/** The answer to an upload. */
export async function uploadAnswer({ statementIds, entryIds, known }: Stored, matched: number): Promise<JsonText> {
  const rows = await query<{ balances: boolean; pending_count: number }>(ROWS, [request().organisation.id, statementIds]);
  const warnings = [
    ...(rows.some(({ balances }) => !balances) ? ["balances_do_not_follow"] : []),
    ...(rows.some(({ pending_count }) => pending_count > 0) ? ["pending_entries"] : []),
  ];
  return new JsonText(JSON.stringify({ statements: rows, added: entryIds.length, known, matched, warnings }));
}
