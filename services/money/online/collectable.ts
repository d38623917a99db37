import { queryOne } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";

/** Condition on an invoice of alias `t`: its organisation accepts online payments. */
export const ACTIVE_ACCOUNT =
  "exists (select 1 from payment_accounts a where a.organisation_id = t.organisation_id and a.active)";

/** Condition on an invoice of alias `t`: an amount is due and can be paid online (money §2, §12). */
export const COLLECTABLE = `(t.kind = 'invoice' and t.status = 'open' and t.outstanding > 0 and ${ACTIVE_ACCOUNT})`;

const FIND = statement("select 1 from payment_accounts where organisation_id = $1 and active limit 1");

/** Whether the running organisation has an active payment account. */
export const hasActiveAccount = async (): Promise<boolean> => (await queryOne(FIND, [request().organisation.id])) !== undefined;
