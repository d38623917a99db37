import { setTimeout as sleep } from "node:timers/promises";
import { newId } from "../../../core/database/model.ts";
import { enqueue, queryOne } from "../../../core/database/query.ts";
import { seal, unsealed } from "../../../core/database/sealed.ts";
import { type OrganisationRun, schedule } from "../../../core/jobs/jobs.ts";
import { hasWorkers } from "../../../core/jobs/store.ts";
import { ProviderFailure } from "../../../core/outbound/provider/provider.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { trail } from "../../../core/trail/trail.ts";
import { WorkspaceConnection, type WorkspaceConnectionRow } from "../../../mixins/google/models.ts";
import { revokeGrant } from "../../../mixins/google/oauth-client.ts";

/** Revokes the grant of a deleted connection; the payload is `{ grant_id }`. The database schedules it with the deletion (migration 0092). */
export const GRANT_JOB = "workspace.grants.revoke";

/** A row of `workspace_ended_grants`. That of a deleted connection has the connection's id and the token as the connection sealed it. */
type EndedGrant = Pick<WorkspaceConnectionRow, "id" | "organisation_id" | "subject" | "client_id" | "refresh_token" | "email">;

/** The grants of an organisation that still await revocation. */
export const ALL_ENDED = statement("select id from workspace_ended_grants where organisation_id = $1 order by id");
const ONE_ENDED = statement(
  `select id, organisation_id, subject, client_id, email, refresh_token from workspace_ended_grants where organisation_id = $1 and id = $2`,
);
const IN_USE = statement("select workspace_grant_in_use($1, $2) as used");
/** Milliseconds that a request waits for the revocation, and between two looks. */
const LONGEST_WAIT = 5_000;
const PAUSE = 100;
const KEEP = statement(`insert into workspace_ended_grants (id, organisation_id, subject, client_id, email, refresh_token)
  values ($2, $1, $3, $4, $5, $6)`);
const FORGET = statement("delete from workspace_ended_grants where organisation_id = $1 and id = $2");

/** The job that revokes an ended grant. */
export const revocationOf = (id: string) => ({ payload: { grant_id: id }, key: id, dedupe: id });

/**
 * Stores the grant of a connection that continues with another OAuth client, for the job that revokes it, in the running transaction. Google
 * keeps one grant for each client, and the connection holds the token of one only.
 */
export function endFormerGrant(row: WorkspaceConnectionRow): void {
  const token = unsealed(WorkspaceConnection, row, "refresh_token");
  // Without its key nobody can use the token, and nobody can revoke it.
  if (token === null) return;
  const [id, { organisation_id: organisation, subject, client_id, email }] = [newId(), row];
  const sealed = seal(token, { table: WorkspaceConnection.table, column: "refresh_token", organisation, row: id });
  enqueue(KEEP, [organisation, id, subject, client_id, email, sealed]);
  const { payload, ...rest } = revocationOf(id);
  schedule(GRANT_JOB, payload, rest);
}

/**
 * Whether a working connection in any organisation still uses this grant. Google revokes all tokens of a person and OAuth client together.
 */
const isGrantUsed = async ({ subject, client_id }: EndedGrant): Promise<boolean> =>
  (await queryOne<{ used: boolean }>(IN_USE, [subject, client_id]))?.used === true;

/**
 * Revokes a grant, unless another connection uses it. The connection was deleted before this looks: if two organisations end theirs at the
 * same time, the later look finds the grant unused.
 * @returns why Google did not revoke it; null if it did, or if the grant is in use
 * @throws Error to retry, except in the last attempt
 */
async function revoked(run: Pick<OrganisationRun, "read" | "lastAttempt">, grant: EndedGrant): Promise<string | null> {
  if (await run.read(() => isGrantUsed(grant))) return null;
  const refreshToken = unsealed(WorkspaceConnection, grant, "refresh_token");
  if (refreshToken === null) return "the stored grant cannot be decrypted any more";
  try {
    return await revokeGrant(refreshToken, grant.id);
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    if (!run.lastAttempt) throw error.forJob();
    return error.text;
  }
}

/**
 * Revokes the grant of a connection that was deleted, then deletes the stored token. The token is also deleted if Google refuses, if the
 * last attempt fails, or if another connection uses the grant. The trail of the connection records why Google did not revoke the grant.
 * @throws Error to retry
 */
export async function revokeEnded(run: OrganisationRun<{ grant_id: string }>): Promise<void> {
  const { grant_id: id } = run.payload;
  const key = [run.organisation.id, id];
  const grant = await run.read(() => queryOne<EndedGrant>(ONE_ENDED, key));
  if (!grant) return;
  const reason = await revoked(run, grant);
  if (reason !== null)
    run.logger.warn(
      { event: "workspace.grant_not_revoked", connection: id, reason },
      "the grant of a connection that has ended was not revoked",
    );
  await run.write(async () => {
    enqueue(FORGET, key);
    if (reason !== null) trail("workspace_connection", id, "workspace.grant_not_revoked", { email: grant.email, reason });
  });
}

/**
 * Waits until a job has revoked an ended grant, for at most five seconds and only if a node runs jobs. Otherwise the owner could consent again
 * before the revocation, which would revoke the new grant too.
 */
export async function awaitRevocation(id: string): Promise<void> {
  if (!(await hasWorkers())) return;
  const key = [request().organisation.id, id];
  for (const deadline = performance.now() + LONGEST_WAIT; performance.now() < deadline; await sleep(PAUSE))
    if (!(await queryOne(ONE_ENDED, key))) return;
}
