import { columns, type RowOf } from "../../../core/database/model.ts";
import { enqueue, query } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import type { DecimalText } from "../../../core/values/money.ts";
import { type Price, priceAt } from "../../../core/values/prices.ts";
import { SubscriptionPrice } from "./models.ts";

const HISTORY = statement(`select ${columns(SubscriptionPrice)} from subscription_prices
  where organisation_id = $1 and subscription_id = $2 and ($3::timestamptz is null or updated_at >= $3::timestamptz) order by valid_from`);
/** Corrects the price of the same date, else adds one (money §9 "Price history"). */
const PUT = statement(`insert into subscription_prices (organisation_id, subscription_id, valid_from, amount, increased_from)
  select $1, p.id, $3, p.amount, p.increased_from from unnest($2::uuid[], $4::numeric[], $5::numeric[]) p (id, amount, increased_from)
  on conflict (organisation_id, subscription_id, valid_from) do update
    set amount = excluded.amount, increased_from = excluded.increased_from, updated_at = statement_timestamp()`);

/** The amount of an agreement on a day: its latest price that starts by then, else its first price. */
export function amountAt(prices: readonly Price[], date: string): DecimalText {
  return priceAt(prices, date) ?? first(prices)?.amount ?? "0.00";
}

/** The price with the earliest start. */
export const first = (prices: readonly Price[]): Price | undefined =>
  prices.reduce<Price | undefined>((found, price) => (found && found.valid_from <= price.valid_from ? found : price), undefined);

/** The price history of an agreement, oldest first; with `since`, only prices written since then. */
export const pricesOf = (id: string, since: string | null = null) =>
  query<RowOf<typeof SubscriptionPrice>>(HISTORY, [request().organisation.id, id, since]);

/** A price of an agreement to store; `increased_from` is the amount that an increase started from. */
interface StoredPrice {
  id: string;
  amount: DecimalText;
  increased_from?: DecimalText;
}

/** Stores prices that start on a day, one for each of several agreements. */
export function storePrices(validFrom: string, prices: readonly StoredPrice[]): void {
  if (prices.length === 0) return;
  const amounts = prices.map(({ amount }) => amount);
  const bases = prices.map(({ increased_from: base = null }) => base);
  enqueue(PUT, [request().organisation.id, prices.map(({ id }) => id), validFrom, amounts, bases]);
}
