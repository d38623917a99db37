import { queryOne } from "../../../core/database/query.ts";
import { statement } from "../../../core/database/statement.ts";
import { request } from "../../../core/request/context.ts";

/** Condition on the alias `t`, an invoice: its organisation can be paid online. */
export const ACTIVE_ACCOUNT =
  "exists (select 1 from payment_accounts a where a.organisation_id = t.organisation_id and a.active)";

/** Condition on the alias `t`, an invoice: there is something to pay on it, and a way to pay it online (money §2, §12). */
export const COLLECTABLE = `(t.kind = 'invoice' and t.status = 'open' and t.outstanding > 0 and ${ACTIVE_ACCOUNT})`;

const FIND = statement("select 1 from payment_accounts where organisation_id = $1 and active limit 1");

/** Whether the running organisation has an account that payments can be taken with. */
export const hasActiveAccount = async (): Promise<boolean> => (await queryOne(FIND, [request().organisation.id])) !== undefined;
