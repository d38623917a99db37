import { clearSome } from "../../../core/clearing/clear.ts";
import { newId } from "../../../core/database/model.ts";
import { enqueue, query, queryOne } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { oldRows } from "../../../core/sql/old-rows.ts";
import { statement } from "../../../core/sql/statement.ts";
import { inOwnTransaction, storeOutsideResult } from "../../../mixins/tenancy.ts";
import type { Feature } from "../models.ts";
import type { TokensSpent } from "../providers/provider.ts";

/** The features in usage records. */
export type MeteredFeature = Feature | "test";

/** Minutes after which an unsettled reservation expires, because its node has died. */
const RESERVED_FOR = 20;

/** The first day of the current month in UTC. */
export const THIS_MONTH = "date_trunc('month', statement_timestamp() at time zone 'UTC')::date";

const ADD = statement(`insert into ai_usage (organisation_id, month, feature, tokens_in, tokens_out, requests, audio_seconds)
  values ($1, ${THIS_MONTH}, $2, $3, $4, $5, $6)
  on conflict (organisation_id, month, feature) do update set tokens_in = ai_usage.tokens_in + excluded.tokens_in,
    tokens_out = ai_usage.tokens_out + excluded.tokens_out, requests = ai_usage.requests + excluded.requests,
    audio_seconds = ai_usage.audio_seconds + excluded.audio_seconds`);

/** A provider's count, which may be anything, as a valid number. */
const counted = (reported: unknown): number =>
  typeof reported === "number" && reported > 0 ? Math.min(Math.round(reported), 2_147_483_647) : 0;

const add = (feature: MeteredFeature, tokensIn: unknown, tokensOut: unknown, requests: number, audioSeconds: unknown) =>
  storeOutsideResult(async () =>
    enqueue(ADD, [request().organisation.id, feature, counted(tokensIn), counted(tokensOut), requests, counted(audioSeconds)]),
  );

/** Records a call's usage, whatever happened to its caller. Stores only counts and labels (platform §1.1). */
export const meter = (feature: MeteredFeature, { tokensIn, tokensOut }: TokensSpent): Promise<void> =>
  add(feature, tokensIn, tokensOut, 1, 0);

/** Records the length of a transcribed clip. Seconds are metered separately: they count neither as tokens nor as a feature's request. */
export const meterSpeech = (feature: Feature, seconds: number): Promise<void> => add(feature, 0, 0, 0, seconds);

// Serialises concurrent reservations across all nodes.
const TAKE_TURNS = statement("select id from ai_settings where organisation_id = $1 for update");
const EXPIRED = oldRows({ table: "ai_reservations", age: "r.expires_at", kept: "0" });
const RESERVE = statement(`insert into ai_reservations (organisation_id, id, tokens, audio_seconds, expires_at)
  select $1::uuid, $2::uuid, $3::int, $4::int, statement_timestamp() + make_interval(mins => ${RESERVED_FOR})
   from (select coalesce(sum(tokens_in + tokens_out), 0) as tokens, coalesce(sum(audio_seconds), 0) as seconds
           from ai_usage where organisation_id = $1 and month = ${THIS_MONTH}) used,
        (select coalesce(sum(tokens), 0) as tokens, coalesce(sum(audio_seconds), 0) as seconds
           from ai_reservations where organisation_id = $1) reserved
  where ($5::int is null or used.tokens + reserved.tokens < $5) and ($6::int is null or used.seconds + reserved.seconds < $6)
  returning id`);
const RELEASE = statement("delete from ai_reservations where organisation_id = $1 and id = $2");

/** The maximum cost of a call, and the budgets it must fit in; null means no limit. */
export interface Reserving {
  tokens: number;
  audioSeconds: number;
  tokenBudget: number | null;
  audioBudget: number | null;
}

/**
 * Reserves the possible cost of a call. Every call sees the others' reservations, so concurrent calls on any nodes exceed a budget by at
 * most one of them.
 * @returns the reservation, or null if the month's budget is used up
 */
export function reserve({ tokens, audioSeconds, tokenBudget, audioBudget }: Reserving): Promise<string | null> {
  const { id: organisationId } = request().organisation;
  return inOwnTransaction(async () => {
    clearSome(EXPIRED);
    await query(TAKE_TURNS, [organisationId]);
    const values = [organisationId, newId(), tokens, audioSeconds, tokenBudget, audioBudget];
    return (await queryOne<{ id: string }>(RESERVE, values))?.id ?? null;
  });
}

/** Releases a reservation after the call was metered. */
export const release = (reservation: string): Promise<void> =>
  storeOutsideResult(async () => enqueue(RELEASE, [request().organisation.id, reservation]));
