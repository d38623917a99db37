import { enqueue, queryOne } from "../../../core/database/query.ts";
import { unsealed } from "../../../core/database/sealed.ts";
import { statement } from "../../../core/database/statement.ts";
import { trail } from "../../../core/database/trail.ts";
import type { OrganisationRun } from "../../../core/jobs/jobs.ts";
import { ProviderFailure } from "../../../core/outbound/provider/provider.ts";
import { WorkspaceConnection, type WorkspaceConnectionRow } from "../../../mixins/google/models.ts";
import { revokeOrThrow } from "../../../mixins/google/oauth-client.ts";
import { isGrantUsed } from "./disconnecting.ts";

/** Revokes the grant of a connection deleted with its owner; the payload is `{ grant_id }`. Migration 0090 schedules it too. */
export const GRANT_JOB = "workspace.grants.revoke";

type Grant = Pick<WorkspaceConnectionRow, "id" | "organisation_id" | "subject" | "client_id" | "refresh_token">;
/** A row of `workspace_ended_grants`, which has the connection's id and the token as the connection sealed it. */
type EndedGrant = Grant & Pick<WorkspaceConnectionRow, "email">;

/** The grants of an organisation that still await revocation. */
export const ALL_ENDED = statement("select id from workspace_ended_grants where organisation_id = $1 order by id");
const ONE_ENDED = statement(
  `select id, organisation_id, subject, client_id, email, refresh_token from workspace_ended_grants where organisation_id = $1 and id = $2`,
);
const FORGET = statement("delete from workspace_ended_grants where organisation_id = $1 and id = $2");

/** The job that revokes an ended grant. */
export const revocationOf = (id: string) => ({ payload: { grant_id: id }, key: id, dedupe: id });

/**
 * Revokes a grant in a job, unless another connection uses it.
 * @returns why Google did not revoke it; null if it did, or if the grant is in use
 * @throws Error to retry, except in the last attempt
 */
export async function revokedInJob(run: Pick<OrganisationRun, "read" | "lastAttempt">, grant: Grant): Promise<string | null> {
  if (await run.read(() => isGrantUsed(grant))) return null;
  const refreshToken = unsealed(WorkspaceConnection, grant, "refresh_token");
  if (refreshToken === null) return "the stored grant cannot be decrypted any more";
  try {
    return await revokeOrThrow(refreshToken, grant.id);
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    if (!run.lastAttempt) throw error.forJob();
    return error.text;
  }
}

/**
 * Revokes the grant of a connection that was deleted with its owner's membership or account, then deletes the stored token. The token is
 * also deleted if Google refuses or the last attempt fails; the trail of the connection then records the reason.
 * @throws Error to retry
 */
export async function revokeEnded(run: OrganisationRun<{ grant_id: string }>): Promise<void> {
  const { grant_id: id } = run.payload;
  const key = [run.organisation.id, id];
  const grant = await run.read(() => queryOne<EndedGrant>(ONE_ENDED, key));
  if (!grant) return;
  const reason = await revokedInJob(run, grant);
  if (reason !== null) run.logger.warn({ connection: id, reason }, "the grant of a member who was removed was not revoked");
  await run.write(async () => {
    enqueue(FORGET, key);
    if (reason !== null) trail("workspace_connection", id, "workspace.grant_not_revoked", { email: grant.email, reason });
  });
}
