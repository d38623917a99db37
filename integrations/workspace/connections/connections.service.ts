import { sinceQuery } from "../../../core/database/lists/list.ts";
import { projection } from "../../../core/database/projection.ts";
import { differences, queueUpdate } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { requireMatch } from "../../../core/http/etag.ts";
import { job } from "../../../core/jobs/jobs.ts";
import { requireNoImpersonation } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import { list, type Static } from "../../../core/schema/schema.ts";
import { JsonText } from "../../../core/sql/json-text.ts";
import { blankToNull } from "../../../core/values/text.ts";
import { connectionOf, lockedConnection, requireConnected } from "../../../mixins/google/connection.ts";
import { WorkspaceConnection, type WorkspaceConnectionRow } from "../../../mixins/google/models.ts";
import { oauthClientOf, storedSettings } from "../../../mixins/google/oauth-settings.ts";
import { resource, rowsOf } from "../../../mixins/resource.ts";
import { MyConnectionRead, MyConnectionUpdate, WorkspaceConnectionRead } from "./connection-schemas.ts";
import { endOwnConnection } from "./disconnecting.ts";
import { GRANT_JOB, revokeEnded } from "./ended-grants.ts";
import { leavers } from "./leaving.due.ts";
import { endLeaver, LEAVE_JOB, scheduleLeavers } from "./leaving.ts";

const shown = projection({ model: WorkspaceConnection, schema: WorkspaceConnectionRead, columns: { user_id: "t.account_id" } });
const connections = rowsOf({ model: WorkspaceConnection, projection: shown, whole: { order: "t.email, t.id" } });

function connectionShown(row: WorkspaceConnectionRow): Static<typeof WorkspaceConnectionRead> {
  const { account_id: user_id, email, status, scopes, mail_sync_enabled, mail_excluded_label, connected_at, last_error } = row;
  return { user_id, email, status, scopes, mail_sync_enabled, mail_excluded_label, connected_at, last_error };
}

/** The response for the caller's own connection and the available surfaces. */
async function mine(row: WorkspaceConnectionRow | undefined): Promise<JsonText> {
  const settings = await storedSettings();
  const body: Static<typeof MyConnectionRead> = {
    connected: row !== undefined,
    connection: row ? connectionShown(row) : null,
    configured: oauthClientOf(settings) !== null,
    calendar_enabled: settings?.calendar_enabled ?? false,
    drive_enabled: settings?.drive_enabled ?? false,
    mail_enabled: settings?.mail_enabled ?? false,
  };
  return new JsonText(JSON.stringify(body), row?.version ?? 0);
}

/** The connections of an organisation's members (workspace §2.2). */
export default resource("workspace.connections", {
  model: WorkspaceConnection,
  actions: {
    list: action({
      rest: "GET /workspace/connections",
      summary: "List the connected accounts of all colleagues, by address",
      description: "Tokens never appear in answers.",
      permission: "workspace.settings.manage",
      query: sinceQuery,
      returns: list(WorkspaceConnectionRead),
      handler: ({ params: { updated_since } }) => connections.all({ updated_since }),
    }),

    me: action({
      rest: "GET /workspace/connections/me",
      summary: "Read your own connection, and the available surfaces",
      permission: "workspace.connection.manage",
      returns: MyConnectionRead,
      handler: async () => mine(await connectionOf()),
    }),

    update: action({
      rest: "PATCH /workspace/connections/me",
      summary: "Change which of your mail is logged",
      description: "Omitted fields stay unchanged.",
      permission: "workspace.connection.manage",
      body: MyConnectionUpdate,
      returns: MyConnectionRead,
      errors: ["workspace_not_connected"],
      async handler(ctx) {
        requireNoImpersonation(ctx.meta.principal);
        const row = requireConnected(await lockedConnection());
        requireMatch(row.version);
        const { mail_sync_enabled, mail_excluded_label: label } = ctx.params.body;
        const changed = differences(row, {
          ...(mail_sync_enabled != null && { mail_sync_enabled }),
          ...(label !== undefined && { mail_excluded_label: blankToNull(label?.trim()) ?? null }),
        });
        if (changed) queueUpdate(WorkspaceConnection, row.id, changed);
        return mine(await connectionOf());
      },
    }),

    disconnect: action({
      rest: "POST /workspace/connections/me/disconnect",
      summary: "End your own connection",
      description:
        "Deletes the grant and its cached data, and has a job revoke it at Google, unless another organisation still uses it with the same OAuth client. The answer waits a few seconds for that job. Google's answer is ignored. Succeeds without a connection too.",
      permission: "workspace.connection.manage",
      returns: null,
      status: 204,
      acts: "outside",
      async prepare(ctx) {
        requireNoImpersonation(ctx.meta.principal);
        const trouble = await endOwnConnection();
        if (trouble !== null)
          ctx.service?.logger.warn(
            { event: "workspace.channel_not_stopped", organisation: request().organisation.slug, reason: trouble },
            "a channel was not stopped at Google",
          );
      },
      handler: async () => {},
    }),
  },

  jobs: {
    [LEAVE_JOB]: job<{ connection_id: string }>({
      about: "Ends the connection of a member who was deactivated or disabled",
      retry: { attempts: 6, backoff: { first: 5_000, factor: 6, most: 3_600_000 } },
      handler: endLeaver,
    }),
    [GRANT_JOB]: job<{ grant_id: string }>({
      about: "Revokes the grant of a connection that has ended",
      retry: { attempts: 6, backoff: { first: 5_000, factor: 6, most: 3_600_000 } },
      dedupe: "end",
      handler: revokeEnded,
    }),
    "workspace.connections.leavers": {
      about: "Ends connections of members who were deactivated or disabled, and revokes ended grants that have no job",
      licenceExempt: "a grant must not outlive the access of its owner, whatever the organisation's plan",
      schedule: "7-59/15 * * * *",
      due: leavers,
      handler: scheduleLeavers,
    },
  },
});
