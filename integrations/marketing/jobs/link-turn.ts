import { columns } from "../../../core/database/model.ts";
import { enqueue, queryOne } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { IS_WORKING, WORKING_CONNECTIONS } from "../../../mixins/google/connection.ts";
import { feeding } from "../feeding.ts";
import { MarketingLink, type MarketingLinkRow } from "../models.ts";
import { ridesGrant } from "../sources/connection-owner.ts";
import type { Span } from "../sources/source.ts";

/** Seconds of a run's lease on a link: longer than one chunk of days with all retries. */
const LEASE = 600;

/**
 * SQL: whether link `l` can be read now; the organisation is `$1`. Excludes connections in error and links whose quota has not reset yet.
 */
export const READABLE = `${feeding("l")} and (l.paused_until is null or l.paused_until <= statement_timestamp())
  and case when ${ridesGrant("l.source")}
    then exists (select from ${WORKING_CONNECTIONS} where ${IS_WORKING} and c.id = l.connection_id) else true end`;

const HOLDS = "organisation_id = $1 and id = $2 and held_by = $3 and active";
/** The same job may re-acquire its link at once: its previous run has ended or died. */
const TAKE =
  statement(`update marketing_links l set held_by = $3, held_until = statement_timestamp() + interval '${LEASE} seconds'
  where l.organisation_id = $1 and l.id = $2 and ${READABLE}
    and (l.held_by is null or l.held_by = $3 or l.held_until < statement_timestamp())
  returning ${columns(MarketingLink, "l")}`);
const WAITS = statement(`select 1 from marketing_links l where l.organisation_id = $1 and l.id = $2 and ${READABLE}
  and l.held_by <> $3 and l.held_until >= statement_timestamp()`);
const RENEW = statement(`update marketing_links set held_until = statement_timestamp() + interval '${LEASE} seconds'
  where ${HOLDS} returning id`);
const RELEASE = statement(`update marketing_links set held_by = null, held_until = null where ${HOLDS}`);
const PAUSE = statement(
  `update marketing_links set held_by = null, held_until = null, paused_until = coalesce($4, paused_until) where ${HOLDS}`,
);
const SUCCEED =
  statement(`update marketing_links set held_by = null, held_until = null, last_error = null, last_synced_at = statement_timestamp(),
    paused_until = $4, version = version + 1, updated_at = statement_timestamp() where ${HOLDS}`);
const FAIL =
  statement(`update marketing_links set held_by = null, held_until = null, last_error = $4, paused_until = coalesce($5, paused_until),
    version = version + 1, updated_at = statement_timestamp() where ${HOLDS}`);
const MARK = statement(`update marketing_links set read_days = read_days + datemultirange(daterange($4::date, $5::date, '[]')),
    version = version + 1, updated_at = statement_timestamp() where ${HOLDS}`);
const COMPLETE = statement(`update marketing_links set backfill_done = true where ${HOLDS}`);

/** One run's lease on a link. */
export interface LinkTurn {
  link: MarketingLinkRow;
  /** The job that holds the lease. */
  holder: string;
}

/** Another run took over the link, or the link was removed: this run must not store anything more. */
export class TurnLost extends Error {
  override name = "TurnLost";
}

/** Acquires the lease on a link: `held` while another run reads it, null if it cannot be read now. */
export async function takeTurn(linkId: string, holder: string): Promise<LinkTurn | "held" | null> {
  const asked = [request().organisation.id, linkId, holder];
  const link = await queryOne<MarketingLinkRow>(TAKE, asked);
  if (link) return { link, holder };
  return (await queryOne(WAITS, asked)) ? "held" : null;
}

const placeOf = ({ link, holder }: LinkTurn) => [request().organisation.id, link.id, holder];

/** Renews the lease and locks the link until the transaction ends. @throws TurnLost */
export async function keepTurn(turn: LinkTurn): Promise<void> {
  if (!(await queryOne(RENEW, placeOf(turn)))) throw new TurnLost(`link ${turn.link.id} no longer belongs to this run`);
}

/** Releases the lease without an outcome. */
export const releaseTurn = (turn: LinkTurn): void => enqueue(RELEASE, placeOf(turn));

/** Releases the lease without an outcome; if a quota is used up, nothing reads the link before `pausedUntil`. */
export const pauseTurn = (turn: LinkTurn, pausedUntil: string | null): void => enqueue(PAUSE, [...placeOf(turn), pausedUntil]);

/** Releases the lease of a run that stored its days. @param pausedUntil when the quota resets, if it is used up */
export const endTurn = (turn: LinkTurn, pausedUntil: string | null): void => enqueue(SUCCEED, [...placeOf(turn), pausedUntil]);

/** Releases the lease of a failed run. @param key the failure reason */
export const failTurn = (turn: LinkTurn, key: string, pausedUntil: string | null): void =>
  enqueue(FAIL, [...placeOf(turn), key, pausedUntil]);

/** Marks days as read, with or without a row. */
export const markRead = (turn: LinkTurn, { from, to }: Span): void => enqueue(MARK, [...placeOf(turn), from, to]);

/** Records that the backfill reached the first day that it reads. */
export const completeBackfill = (turn: LinkTurn): void => enqueue(COMPLETE, placeOf(turn));
