import { runtime } from "../../../core/config/runtime.ts";
import { unsealed } from "../../../core/database/sealed.ts";
import { lock, queueInsert, queueUpdate } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { requireMatch } from "../../../core/http/etag.ts";
import { request } from "../../../core/request/context.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { JsonText } from "../../../core/sql/json-text.ts";
import { trail } from "../../../core/trail/trail.ts";
import { adsSettings } from "../../../mixins/google-ads/developer-token.ts";
import { AdsSettings, type AdsSettingsRow } from "../../../mixins/google-ads/models.ts";
import { resource } from "../../../mixins/resource.ts";
import { readOptionalId } from "../accounts/customer-id.ts";
import { changeLimits } from "../policy/limits-lock.ts";
import { AdsSettingsRead, AdsSettingsWrite } from "./settings-schemas.ts";

const KIND = "ads_settings";
/** Version of settings that were never saved. */
const UNSAVED_VERSION = 0;

/** The response body, without the developer token. */
function shown(row: AdsSettingsRow | undefined): JsonText {
  const body: Static<typeof AdsSettingsRead> = {
    developer_token_configured: row !== undefined && unsealed(AdsSettings, row, "developer_token") !== null,
    env_token_configured: runtime().config.adsDeveloperToken !== undefined,
    default_login_customer_id: row?.default_login_customer_id ?? null,
    writes_enabled: row?.writes_enabled ?? true,
  };
  return new JsonText(JSON.stringify(body), row?.version ?? UNSAVED_VERSION);
}

/** The sent values that differ from the stored ones (marketing-ads §3.1). @throws 422 */
function changesIn(sent: Static<typeof AdsSettingsWrite>, row: AdsSettingsRow | undefined) {
  const token = sent.developer_token === null ? null : sent.developer_token?.trim() || undefined;
  const stored = row?.developer_token ? unsealed(AdsSettings, row, "developer_token") : null;
  const isSameToken = token === null ? !row?.developer_token : token === stored;
  const manager =
    sent.default_login_customer_id === undefined
      ? undefined
      : readOptionalId(sent.default_login_customer_id, "default_login_customer_id");
  const writes = sent.writes_enabled ?? undefined;
  return {
    ...(token !== undefined && !isSameToken && { developer_token: token }),
    ...(manager !== undefined && manager !== (row?.default_login_customer_id ?? null) && { default_login_customer_id: manager }),
    ...(writes !== undefined && writes !== (row?.writes_enabled ?? true) && { writes_enabled: writes }),
  };
}

/** The organisation's advertising settings (marketing-ads §3.1). */
export default resource("ads-platform.settings", {
  model: AdsSettings,
  actions: {
    get: action({
      rest: "GET /ads-platform/settings",
      summary: "Read the settings of advertising",
      permission: "ads_platform.settings.manage",
      returns: AdsSettingsRead,
      handler: async () => shown(await adsSettings()),
    }),

    replace: action({
      rest: "PUT /ads-platform/settings",
      summary: "Change the advertising settings; omitted fields stay unchanged",
      description: "The trail records which settings changed, never their values.",
      permission: "ads_platform.settings.manage",
      body: AdsSettingsWrite,
      returns: AdsSettingsRead,
      errors: ["validation errors.ads_platform_customer_id_invalid"],
      async handler(ctx) {
        await changeLimits();
        const found = await adsSettings();
        const row = found && (await lock(AdsSettings, found.id));
        requireMatch(row?.version ?? UNSAVED_VERSION);
        const changes = changesIn(ctx.params.body, row);
        const changed = Object.keys(changes).toSorted();
        if (changed.length === 0) return shown(row);
        // Of two concurrent first writes, the later one is retried and finds the earlier one's row.
        if (!row) request().retryableConstraints.add("ads_settings_organisation_id_key");
        const id = row?.id ?? queueInsert(AdsSettings, changes);
        if (row) queueUpdate(AdsSettings, row.id, changes);
        trail(KIND, id, "ads.settings_changed", { changed });
        return shown(await adsSettings());
      },
    }),
  },
});
