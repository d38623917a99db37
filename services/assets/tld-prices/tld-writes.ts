import { newId } from "../../../core/database/model.ts";
import { enqueue, query, queryOne } from "../../../core/database/query.ts";
import { invalid, notFound } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import { organisationToday } from "../../../core/request/today.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { decimal, formatAmount } from "../../../core/values/money.ts";
import { basePrice, increased } from "../../../core/values/prices.ts";
import { BILLABLE } from "../domains/billing-answer.ts";
import { visibleDomain } from "../domains/domain.list.ts";
import { MOST_AMOUNT } from "../domains/domain-schemas.ts";
import { requireTld, shownTld } from "./tld-name.ts";
import type { TldPriceIncrease, TldPriceIncreaseResult, TldPriceRead, TldPriceUpsert } from "./tld-schemas.ts";

/** An existing row of the day gets the amount and keeps its currency. */
const PUT = `insert into tld_prices as t (id, organisation_id, tld, amount, currency, valid_from)
  select w.id, $1, w.tld, w.amount, w.currency, w.valid_from
    from jsonb_to_recordset($2::jsonb) w (id uuid, tld text, amount numeric, currency text, valid_from date) order by w.tld, w.valid_from
  on conflict on constraint tld_prices_key do update
     set amount = excluded.amount, version = t.version + 1, updated_at = statement_timestamp()`;
const PUT_ONE = statement(`${PUT} returning t.id, t.tld, t.amount::text as amount, t.currency, t.valid_from`);
const PUT_ALL = statement(PUT);
/** An increase computes in the currency of its base, so a row of its day gets that one. */
const PUT_RAISED = statement(`${PUT}, currency = excluded.currency`);

type Price = Static<typeof TldPriceRead>;

/** A price as stored: from today by default, in the organisation's currency unless its day already has a row. @throws 422 on `tld` */
const rowOf = ({ tld, amount, valid_from }: Static<typeof TldPriceUpsert>) => ({
  id: newId(),
  tld: requireTld(tld),
  amount: formatAmount(amount),
  currency: request().organisation.currency,
  valid_from: valid_from ?? organisationToday(),
});

/**
 * Sets the price of a TLD from a day on, today by default (assets §3 "POST"). An existing row of that day is corrected; else a new one is
 * added in the organisation's currency.
 * @throws 422 on `tld`
 */
export async function putPrice(body: Static<typeof TldPriceUpsert>): Promise<Price> {
  const { organisation } = request();
  return shownTld((await queryOne<Price>(PUT_ONE, [organisation.id, JSON.stringify([rowOf(body)])])) as Price);
}

/** Sets a price without waiting for the result, for imports. @throws 422 on `tld` */
export const storePrice = (body: Static<typeof TldPriceUpsert>): void =>
  enqueue(PUT_ALL, [request().organisation.id, JSON.stringify([rowOf(body)])]);

/** The prices of one TLD or of all, each with its number of domains; locked before an increase. */
const priced = (locking: string) =>
  statement(`select p.tld, p.amount::text as amount, p.currency, p.valid_from, (select count(*)::int from domains t
      where t.organisation_id = $1 and t.tld = p.tld and ${BILLABLE} and t.price_override is null
        and ($3::uuid[] is null or ${visibleDomain("$3::uuid[]")})) as domains
    from tld_prices p where p.organisation_id = $1 and ($2::text is null or p.tld = $2) order by p.tld, p.valid_from ${locking}`);
const LOOK = priced("");
const LOCK = priced("for update");

type FoundPrice = Omit<Price, "id"> & { domains: number };

/**
 * Computes a price increase by TLD (assets §3 "Increase"). It starts from the newest price before the given day, so a repeat for the same
 * day replaces it. TLDs without a price to start from are skipped; unchanged amounts are not written.
 * @param writes whether to store it
 * @throws 404 for a TLD without any price; 422 on `tld`, and on `value` for a price that would be too large
 */
export async function increaseTldPrices(
  { mode, value, valid_from, tld: named }: Static<typeof TldPriceIncrease>,
  writes: boolean,
): Promise<Static<typeof TldPriceIncreaseResult>> {
  const { organisation, principal } = request();
  const tld = named === undefined || named === null ? null : requireTld(named);
  const found = await query<FoundPrice>(writes ? LOCK : LOOK, [organisation.id, tld, principal?.selection ?? null]);
  if (tld !== null && found.length === 0) throw notFound();
  const items = [...Map.groupBy(found, (row) => row.tld).values()].flatMap((rows) => {
    const base = basePrice(rows, valid_from);
    if (base === null) return [];
    const new_amount = increased(base.amount, mode, value, base.currency);
    if (decimal(new_amount).greaterThan(MOST_AMOUNT)) throw invalid({ value: "errors.validation" });
    const { currency, amount: current_amount, domains: domain_count } = base;
    return [{ tld: base.tld, currency, current_amount, new_amount, domain_count }];
  });
  const raised = items.filter(({ current_amount, new_amount }) => current_amount !== new_amount);
  if (writes && raised.length > 0) {
    const rows = raised.map(({ new_amount: amount, ...item }) => ({ id: newId(), ...item, amount, valid_from }));
    enqueue(PUT_RAISED, [organisation.id, JSON.stringify(rows)]);
  }
  return { items: items.map(shownTld) };
}
