/** Condition on an invoice of alias `t`: its organisation accepts online payments. */
export const ACTIVE_ACCOUNT =
  "exists (select 1 from payment_accounts a where a.organisation_id = t.organisation_id and a.active)";

/** Condition on an invoice of alias `t`: an amount is due and can be paid online (money §2, §12). */
export const COLLECTABLE = `(t.kind = 'invoice' and t.status = 'open' and t.outstanding > 0 and ${ACTIVE_ACCOUNT})`;

/** What is to be paid on an invoice of alias `t` today with the discount for early payment deducted; null without one (money §6.1). */
export const DISCOUNTED = `(case when t.kind = 'invoice' and t.status = 'open' and t.discount_left > 0 and t.outstanding > t.discount_left
  and t.discount_until >= (select organisation_today()) then (t.outstanding - t.discount_left)::text end)`;
