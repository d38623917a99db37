import type { OwnOf } from "../../../core/database/model.ts";
import { queryOne } from "../../../core/database/query.ts";
import { givenSecret, unsealed } from "../../../core/database/sealed.ts";
import { lock, queueInsert, queueUpdate } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import type { Meta } from "../../../core/declare/principal.ts";
import { invalid } from "../../../core/errors/errors.ts";
import { requireMatch } from "../../../core/http/etag.ts";
import { request } from "../../../core/request/context.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { JsonText } from "../../../core/sql/json-text.ts";
import { statement } from "../../../core/sql/statement.ts";
import { changesOf, trail } from "../../../core/trail/trail.ts";
import { blankToNull } from "../../../core/values/text.ts";
import { WorkspaceSettings, type WorkspaceSettingsRow } from "../../../mixins/google/models.ts";
import { hasInstanceClient, storedSettings } from "../../../mixins/google/oauth-settings.ts";
import { resource } from "../../../mixins/resource.ts";
import { beginAllCalendars } from "../calendar/beginning.ts";
import { callbackAddress } from "../connections/consent.ts";
import { WorkspaceSettingsRead, WorkspaceSettingsWrite } from "./settings-schemas.ts";

type Values = Omit<OwnOf<typeof WorkspaceSettings>, "client_secret">;

/** Version of settings that were never saved. */
const UNSAVED_VERSION = 0;
const DEFAULTS: Values = {
  client_id: null,
  calendar_enabled: false,
  drive_enabled: false,
  mail_enabled: false,
  drive_shared_drive_id: null,
  drive_parent_folder_id: null,
  drive_template_folder_id: null,
  drive_auto_provision: false,
  automation_connection_user_id: null,
  mail_approval_mode: "approval_required",
  mail_thread_followup: "inherit_pending",
  mail_log_internal: false,
};
const CONNECTED = statement("select 1 from workspace_connections where organisation_id = $1 and account_id = $2");

const tidy = (value: string | null | undefined): string | null => blankToNull(value?.trim()) ?? null;

/** The stored settings except the secret. A missing value becomes its default, because a PUT replaces all settings (workspace §2.1). */
function valuesOf(sent: Omit<Static<typeof WorkspaceSettingsWrite>, "client_secret">): Values {
  return {
    ...DEFAULTS,
    ...Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined)),
    client_id: tidy(sent.client_id),
    drive_shared_drive_id: tidy(sent.drive_shared_drive_id),
    drive_parent_folder_id: tidy(sent.drive_parent_folder_id),
    drive_template_folder_id: tidy(sent.drive_template_folder_id),
  };
}

/** The response body, without the secret. */
function shown(row: WorkspaceSettingsRow | undefined, { origin }: Meta): JsonText {
  const values = row ?? DEFAULTS;
  const body: Static<typeof WorkspaceSettingsRead> = {
    ...(Object.fromEntries(Object.keys(DEFAULTS).map((name) => [name, values[name as keyof Values]])) as Values),
    client_secret_configured: row !== undefined && unsealed(WorkspaceSettings, row, "client_secret") !== null,
    env_client_configured: hasInstanceClient(),
    callback_url: callbackAddress(origin),
    weak_encryption_key: false,
  };
  return new JsonText(JSON.stringify(body), row?.version ?? UNSAVED_VERSION);
}

/** Stores the changes, if any. @param secret undefined keeps the stored one */
function store(row: WorkspaceSettingsRow | undefined, values: Values, secret: string | undefined): void {
  if (!row) {
    // Of two concurrent first writes, the later one is retried and finds the earlier one's row.
    request().retryableConstraints.add("workspace_settings_one");
    const id = queueInsert(WorkspaceSettings, { ...values, client_secret: secret ?? null });
    trail("workspace_settings", id, "created");
    return;
  }
  const changes = changesOf(WorkspaceSettings.tracked, row, values);
  // The trail records that the secret changed, never its value.
  if (secret !== undefined) changes["client_secret"] = { from: row.client_secret && "***", to: "***" };
  if (Object.keys(changes).length === 0) return;
  queueUpdate(WorkspaceSettings, row.id, { ...values, ...(secret !== undefined && { client_secret: secret }) });
  trail("workspace_settings", row.id, "updated", { changes });
}

export default resource("workspace.settings", {
  model: WorkspaceSettings,
  actions: {
    get: action({
      rest: "GET /workspace/settings",
      summary: "Read the OAuth client and the surfaces that people may connect",
      permission: "workspace.settings.manage",
      returns: WorkspaceSettingsRead,
      handler: async (ctx) => shown(await storedSettings(), ctx.meta),
    }),

    replace: action({
      rest: "PUT /workspace/settings",
      summary: "Replace the settings of the workspace suite; an omitted secret stays unchanged",
      description: "All other omitted fields get their defaults. Connections stay unchanged.",
      permission: "workspace.settings.manage",
      body: WorkspaceSettingsWrite,
      returns: WorkspaceSettingsRead,
      async handler(ctx) {
        const { client_secret, ...sent } = ctx.params.body;
        const found = await storedSettings();
        const row = found && (await lock(WorkspaceSettings, found.id));
        requireMatch(row?.version ?? UNSAVED_VERSION);
        const values = valuesOf(sent);
        const automation = values.automation_connection_user_id;
        if (automation !== null && !(await queryOne(CONNECTED, [ctx.meta.organisation.id, automation])))
          throw invalid({ automation_connection_user_id: "errors.workspace_not_connected" });
        store(row, values, givenSecret(client_secret));
        if (values.calendar_enabled && !row?.calendar_enabled) await beginAllCalendars();
        return shown(await storedSettings(), ctx.meta);
      },
    }),
  },
});
