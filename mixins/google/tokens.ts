import { setTimeout as sleep } from "node:timers/promises";
import { columns, newId } from "../../core/database/model.ts";
import { enqueue, queryOne } from "../../core/database/query.ts";
import { seal, unsealed } from "../../core/database/sealed.ts";
import { emit } from "../../core/jobs/outbox.ts";
import { request } from "../../core/request/context.ts";
import { statement } from "../../core/sql/statement.ts";
import { GoogleFailure } from "./failure.ts";
import { WorkspaceConnection, type WorkspaceConnectionRow } from "./models.ts";
import { type GrantedTokens, GrantRefused, refreshGrant } from "./oauth-client.ts";
import { oauthClient } from "./oauth-settings.ts";
import type { Transactions } from "./transactions.ts";

/** Seconds before its expiry from which an access token is no longer used. */
const MARGIN = 60;
/** Seconds of a node's lease on a refresh: longer than the token endpoint's timeout. If the node dies, another takes over afterwards. */
const LEASE = 30;
/** Interval between two polls for the refreshing node's result, and the longest wait; in milliseconds. */
const LOOK = 50;
const LONGEST_WAIT = 60_000;

const ONE = "organisation_id = $1 and id = $2";
const READ = statement(`select ${columns(WorkspaceConnection)} from workspace_connections where ${ONE}`);
/** Claims only while the stored token is still the unusable one: another node may have fetched a new one. */
const TAKE =
  statement(`update workspace_connections set refresh_holder = $3, refresh_until = statement_timestamp() + interval '${LEASE} seconds'
  where ${ONE} and status = 'active' and (refresh_until is null or refresh_until < statement_timestamp())
    and access_token is not distinct from $4 returning ${columns(WorkspaceConnection)}`);
/** A node that lost the lease stores nothing: the connection was renewed or taken over meanwhile. */
const HELD = `${ONE} and refresh_holder = $3`;
const STORE =
  statement(`update workspace_connections set access_token = $4, access_expires_at = $5, refresh_token = coalesce($6, refresh_token),
    refresh_holder = null, refresh_until = null where ${HELD}`);
const RELEASE = statement(`update workspace_connections set refresh_holder = null, refresh_until = null where ${HELD}`);
const BREAK =
  statement(`update workspace_connections set status = 'error', error_since = statement_timestamp(), last_error = $4, access_token = null,
    access_expires_at = null, refresh_holder = null, refresh_until = null, version = version + 1, updated_at = statement_timestamp()
  where ${HELD} and status = 'active' returning account_id, email`);
const FORGET = statement(`update workspace_connections set access_expires_at = null where ${ONE} and access_token = $3`);

/** An access token, decrypted for the calls of one run. */
export interface HeldToken {
  token: string;
  /** As stored: identifies the rejected token, so that forgetting it spares a newer one. */
  sealedToken: string;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

/** Whether a token is still usable. */
export const isFresh = ({ expiresAt }: HeldToken): boolean => expiresAt - Date.now() > MARGIN * 1000;

const placeOf = (connectionId: string) => [request().organisation.id, connectionId];
const sealedFor = (id: string, column: "access_token" | "refresh_token", plain: string): string =>
  seal(plain, { table: WorkspaceConnection.table, column, organisation: request().organisation.id, row: id });

/** The stored access token; null if there is no usable one. */
function heldIn(row: WorkspaceConnectionRow): HeldToken | null {
  const token = unsealed(WorkspaceConnection, row, "access_token");
  if (token === null || row.access_token === null || row.access_expires_at === null) return null;
  const held = { token, sealedToken: row.access_token, expiresAt: Date.parse(row.access_expires_at) };
  return isFresh(held) ? held : null;
}

/**
 * An access token of a connection: the stored one, or a new one. Of concurrent callers on any nodes, one fetches it and the others wait for
 * the stored result, without an open transaction.
 * @throws GoogleFailure `grant`, `not_connected` or `not_configured` if no token is available, `unavailable` if Google did not respond
 */
export async function accessToken(transactions: Transactions, connectionId: string, signal?: AbortSignal): Promise<HeldToken> {
  const deadline = Date.now() + LONGEST_WAIT;
  for (;;) {
    const row = await transactions.read(() => queryOne<WorkspaceConnectionRow>(READ, placeOf(connectionId)));
    if (!row) throw new GoogleFailure("not_connected", "the account is no longer connected");
    if (row.status === "error") throw new GoogleFailure("grant", row.last_error ?? "the connection is broken");
    const held = heldIn(row);
    if (held) return held;
    const holder = newId();
    const taken = await transactions.write(() =>
      queryOne<WorkspaceConnectionRow>(TAKE, [...placeOf(connectionId), holder, row.access_token]),
    );
    if (taken) await refresh(transactions, taken, holder, signal);
    else if (Date.now() > deadline) throw new GoogleFailure("unavailable", "a parallel refresh of the grant does not finish");
    else await sleep(LOOK, undefined, { signal });
  }
}

/** Fetches an access token and stores it, while holding the lease. @throws GoogleFailure */
async function refresh(
  transactions: Transactions,
  row: WorkspaceConnectionRow,
  holder: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  let tokens: GrantedTokens;
  try {
    const client = await transactions.read(oauthClient);
    if (!client) throw new GoogleFailure("not_configured", "the OAuth client no longer exists");
    const refreshToken = unsealed(WorkspaceConnection, row, "refresh_token");
    // The encryption key was changed: reconnecting helps, although Google rejected nothing.
    if (refreshToken === null) throw new GoogleFailure("grant", "the stored grant cannot be decrypted any more");
    tokens = await refreshGrant(client, refreshToken, row.id, signal);
  } catch (error) {
    if (!(error instanceof GrantRefused)) {
      await transactions.write(async () => enqueue(RELEASE, [...placeOf(row.id), holder])).catch(() => {});
      throw error;
    }
    await transactions.write(() => breakConnection(row.id, holder, error.message));
    throw new GoogleFailure("grant", error.message, { reason: error.error });
  }
  const { accessToken: fetched, expiresAt, refreshToken: rotated } = tokens;
  await transactions.write(async () => {
    const sealedTokens = [
      sealedFor(row.id, "access_token", fetched),
      expiresAt,
      rotated === null ? null : sealedFor(row.id, "refresh_token", rotated),
    ];
    enqueue(STORE, [...placeOf(row.id), holder, ...sealedTokens]);
  });
}

/** Marks a connection as broken and notifies its owner, once per breakage (workspace §2.2). */
async function breakConnection(connectionId: string, holder: string, why: string): Promise<void> {
  const values = [...placeOf(connectionId), holder, why];
  const broken = await queryOne<{ account_id: string; email: string }>(BREAK, values);
  if (!broken) return;
  const { account_id: owner, email } = broken;
  emit("workspace.connection_broken", "workspace_connection", connectionId, { email, recipients: [owner] });
}

/** Forgets an access token that Google rejects, but not a newer one. */
export const forgetToken = (transactions: Transactions, connectionId: string, { sealedToken }: HeldToken): Promise<void> =>
  transactions.write(async () => enqueue(FORGET, [...placeOf(connectionId), sealedToken]));
