import { query, queryOutside } from "../../core/database/query.ts";
import { UNTIL_SQL } from "../../core/database/updated-until.ts";
import type { Meta, Principal } from "../../core/declare/principal.ts";
import { refusal } from "../../core/errors/errors.ts";
import { type CallerView, viewDigest } from "../../core/request/caller-view.ts";
import { readInstant } from "../../core/schema/schema.ts";
import { statement } from "../../core/sql/statement.ts";
import { inOwnTransaction } from "../tenancy.ts";

const instantText = (sql: string) => `to_char((${sql}) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
const movedAt = (slot: string) =>
  `(select max(s.moved_at) from selection_moves s where s.organisation_id = current_organisation() and s.source_id = any(${slot}::uuid[]))`;

const MOVED = statement(`select ${instantText(movedAt("$1"))} as moved`);
const BEGUN = statement(`select ${UNTIL_SQL} as until, ${instantText("m.moved_at")} as moved, v.digest,
    $1::timestamptz >= o.created_at as is_copied, coalesce($1::timestamptz < v.holds_since, false) or coalesce($1::timestamptz <= m.moved_at - interval '1 second', false) as is_ended,
    ${instantText("statement_timestamp() - interval '1 second'")} as noticed
  from organisations o
 cross join (select ${movedAt("$4")} as moved_at) m
  left join caller_views v on v.organisation_id = o.id and v.caller = $3
 where o.id = $2`);
const FIRST = statement(`insert into caller_views (organisation_id, caller, digest, holds_since) values ($1, $2, $3, '-infinity')
  on conflict (organisation_id, caller) do nothing`);
const CHANGED = statement(`insert into caller_views (organisation_id, caller, digest, holds_since)
    values ($1, $2, $3, $4)
  on conflict (organisation_id, caller) do update set digest = excluded.digest, holds_since = excluded.holds_since
    where caller_views.digest <> excluded.digest`);

interface Begun {
  until: string;
  moved: string | null;
  digest: string | null;
  /** Whether the instant is one of a copy: one before the organisation begins a first copy. */
  is_copied: boolean;
  is_ended: boolean;
  /** The first instant of the caller's present view. */
  noticed: string;
}

/** The sources of all selections that a caller is restricted by: of an impersonated login and of the member behind it. */
const sourcesOf = ({ selection, impersonation }: Principal): string[] =>
  impersonation ? impersonation.sides.flatMap((side) => side.selection ?? []) : (selection ?? []);

/** The name under which a caller's view is stored. */
function callerOf({ kind, accountId, serviceAccountId, credential, impersonation }: Principal): string {
  if (credential.kind === "key") return `key:${credential.id}`;
  if (serviceAccountId !== null) return `service_account:${serviceAccountId}`;
  if (accountId === null) return `${kind}:${credential.id}`;
  return `account:${accountId}${impersonation ? `:${impersonation.accountId}` : ""}`;
}

/**
 * The view of a caller at the beginning of a delta, compared with that of its earlier rounds.
 * @param since the instant of the call, normalised
 * @param store runs work in a transaction of its own
 * @throws 410 `gone` if the caller's permissions or selection have changed since the instant
 */
async function viewSince(
  { organisation, principal }: Meta,
  since: string,
  store: (work: () => Promise<unknown>) => Promise<unknown>,
): Promise<CallerView> {
  const sources = principal ? sourcesOf(principal) : [];
  const [caller, digest] = [principal ? callerOf(principal) : "", viewDigest(principal)];
  const begun = (await queryOutside<Begun>(BEGUN, [since, organisation.id, caller, sources])) as Begun;
  const place = [organisation.id, caller, digest];
  if (begun.digest === null) await store(() => query(FIRST, place));
  else if (begun.digest !== digest) await store(() => query(CHANGED, [...place, begun.noticed]));
  const isChanged = begun.digest !== null && begun.digest !== digest;
  if (begun.is_copied && (begun.is_ended || isChanged)) throw refusal("gone", "errors.sync_too_old");
  return { moved: begun.moved, until: begun.until };
}

/** The view of a caller at a later page of a walk; without a selection it needs no statement. */
async function viewNow({ principal }: Meta): Promise<CallerView> {
  if (!principal?.selection) return { moved: null };
  return (await queryOutside<{ moved: string | null }>(MOVED, [sourcesOf(principal)])) ?? { moved: null };
}

/** The header with the next `updated_since`, for a caller that has read all changes since an instant (conventions §10). */
export const UNTIL = "Updated-Until";

/** The parameters of a list that a copy is kept by. `since` is that of the deleted rows, which no other walk has. */
export interface CopyParams {
  updated_since?: string;
  since?: string;
  cursor?: string;
  offset?: number;
}

/** What the caller sees, and at the beginning of a delta the next `updated_since`: it is read before the first row, and not after an offset. */
export async function viewOf(meta: Meta, params: CopyParams, isWalked: boolean): Promise<CallerView> {
  const { updated_since, cursor, offset = 0 } = params;
  const since = updated_since ?? (isWalked ? params.since : undefined);
  if (since !== undefined && cursor === undefined && offset === 0)
    return viewSince(meta, readInstant(since) as string, (work) => inOwnTransaction(work, false));
  return isWalked && cursor !== undefined ? viewNow(meta) : { moved: undefined };
}
