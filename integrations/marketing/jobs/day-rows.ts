import { enqueue } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import type { MarketingLinkRow } from "../models.ts";
import { UNREADABLE } from "../sources/failures.ts";
import { type SourceDay, type SourceDays, SourceFailure, type Span } from "../sources/source.ts";

/** A day without channels keeps its earlier channels. */
const STORE =
  statement(`insert into marketing_days as d (organisation_id, link_id, company_id, source, day, metrics, channels, currency)
  select $1, $2, $3, $4, n.day, n.metrics, n.channels, $6 from jsonb_to_recordset($5::jsonb) n (day date, metrics jsonb, channels jsonb)
  on conflict (organisation_id, link_id, day) do update set metrics = excluded.metrics, channels = coalesce(excluded.channels, d.channels),
    currency = coalesce(excluded.currency, d.currency), stored_at = statement_timestamp()`);
const CLEAR = statement(`delete from marketing_days where organisation_id = $1 and link_id = $2 and day between $3 and $4
  and day <> all($5::date[])`);

/** @throws SourceFailure for a duplicate day or a figure that is not a number */
function requireFigures(days: readonly SourceDay[]): void {
  const isRight =
    new Set(days.map(({ day }) => day)).size === days.length &&
    days.every(({ metrics, channels = {} }) =>
      [...Object.values(metrics), ...Object.values(channels)].every((value) => Number.isFinite(value)),
    );
  if (!isRight) throw new SourceFailure(UNREADABLE);
}

/**
 * Stores the days that a source returned for a span, in the running transaction: one row per link and day, however often they are read.
 * @throws SourceFailure for days that cannot be stored
 */
export function storeDays(
  { id, company_id, source }: Pick<MarketingLinkRow, "id" | "company_id" | "source">,
  { from, to }: Span,
  { days, currency = null, isComplete }: SourceDays,
): void {
  requireFigures(days);
  const { organisation } = request();
  if (isComplete) enqueue(CLEAR, [organisation.id, id, from, to, days.map(({ day }) => day)]);
  if (days.length > 0) enqueue(STORE, [organisation.id, id, company_id, source, JSON.stringify(days), currency]);
}
