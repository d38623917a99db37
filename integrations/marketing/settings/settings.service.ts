import { isDeepStrictEqual } from "node:util";
import { rememberedComparison } from "../../../core/calendar/named-spans.ts";
import { runtime } from "../../../core/config/runtime.ts";
import { givenSecret, unsealed } from "../../../core/database/sealed.ts";
import { lock, queueInsert, queueUpdate } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { invalid } from "../../../core/errors/errors.ts";
import { requireMatch } from "../../../core/http/etag.ts";
import { requireUnrestricted } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { JsonText } from "../../../core/sql/json-text.ts";
import { type Changes, trail } from "../../../core/trail/trail.ts";
import { marketingSettings } from "../../../mixins/google-ads/developer-token.ts";
import { MarketingSettings, type MarketingSettingsRow } from "../../../mixins/google-ads/models.ts";
import { resolvedReport } from "../../../mixins/report-sections/report-split.ts";
import { resource } from "../../../mixins/resource.ts";
import { resolvedRankings } from "../ranking-settings.ts";
import { merged } from "./merged.ts";
import { MarketingSettingsRead, MarketingSettingsWrite } from "./settings-schemas.ts";

const KIND = "marketing_settings";
/** Version of settings that were never saved. */
const UNSAVED_VERSION = 0;
const SECRETS = ["ads_developer_token", "seranking_api_key"] as const;

type SentSettings = Static<typeof MarketingSettingsWrite>;
type Values = Pick<MarketingSettingsRow, "default_compare" | "rankings" | "report">;
type Secrets = Partial<Record<(typeof SECRETS)[number], string>>;

/** The response body, without secrets. */
function shown(row: MarketingSettingsRow | undefined): JsonText {
  const isStored = (secret: (typeof SECRETS)[number]) => row !== undefined && unsealed(MarketingSettings, row, secret) !== null;
  const body: Static<typeof MarketingSettingsRead> = {
    ads_developer_token_configured: isStored("ads_developer_token"),
    env_ads_token_configured: runtime().config.adsDeveloperToken !== undefined,
    seranking_api_key_configured: isStored("seranking_api_key"),
    default_compare: rememberedComparison(row?.default_compare),
    rankings: resolvedRankings(row?.rankings),
    report: { ...resolvedReport(row?.report), exclude: [] },
  };
  return new JsonText(JSON.stringify(body), row?.version ?? UNSAVED_VERSION);
}

/** The values after a write; missing ones stay. @throws 422 for excluded links, which only a client can have */
function valuesOf(row: MarketingSettingsRow | undefined, { default_compare, rankings, report }: SentSettings): Values {
  if (report?.exclude?.length) throw invalid({ exclude: "errors.validation" });
  const after = (stored: Record<string, unknown> | undefined, sent: Record<string, unknown> | null | undefined) =>
    (sent === null ? null : merged(stored, sent)) ?? {};
  const { exclude: _ofClients, ...split } = report ?? {};
  return {
    default_compare: default_compare === undefined ? (row?.default_compare ?? null) : default_compare,
    rankings: after(row?.rankings, rankings),
    report: after(row?.report, report === null ? null : split),
  };
}

function changesOf(row: MarketingSettingsRow, values: Values, secrets: Secrets): Changes {
  const changes: Changes = {};
  for (const [name, to] of Object.entries(values)) {
    const from = row[name as keyof Values];
    if (!isDeepStrictEqual(from, to)) changes[name] = { from, to };
  }
  // The trail records that a secret changed, never its value.
  for (const name of Object.keys(secrets)) changes[name] = { from: row[name as keyof Secrets] && "***", to: "***" };
  return changes;
}

/** Stores the changes, if any. */
function store(row: MarketingSettingsRow | undefined, values: Values, secrets: Secrets): void {
  if (!row) {
    // Of two concurrent first writes, the later one is retried and finds the earlier one's row.
    request().retryableConstraints.add("marketing_settings_organisation_id_key");
    trail(KIND, queueInsert(MarketingSettings, { ...values, ...secrets }), "created");
    return;
  }
  const changes = changesOf(row, values, secrets);
  if (Object.keys(changes).length === 0) return;
  queueUpdate(MarketingSettings, row.id, { ...values, ...secrets });
  trail(KIND, row.id, "updated", { changes });
}

/** The organisation's marketing settings (marketing-ads §2.4). */
export default resource("marketing.settings", {
  model: MarketingSettings,
  actions: {
    get: action({
      rest: "GET /marketing/settings",
      summary: "Read the organisation's marketing settings",
      permission: "marketing.link.manage",
      returns: MarketingSettingsRead,
      handler: async () => shown(await marketingSettings()),
    }),

    replace: action({
      rest: "PUT /marketing/settings",
      summary: "Change the organisation's marketing settings; omitted fields stay unchanged",
      permission: "marketing.link.manage",
      body: MarketingSettingsWrite,
      returns: MarketingSettingsRead,
      async handler(ctx) {
        // They decide what clients are shown that a restricted caller does not see (conventions §5).
        requireUnrestricted(ctx.meta.principal);
        const { body } = ctx.params;
        const found = await marketingSettings();
        const row = found && (await lock(MarketingSettings, found.id));
        requireMatch(row?.version ?? UNSAVED_VERSION);
        const secrets = Object.fromEntries(
          SECRETS.flatMap((name) => {
            const secret = givenSecret(body[name]);
            return secret === undefined ? [] : [[name, secret]];
          }),
        ) as Secrets;
        store(row, valuesOf(row, body), secrets);
        return shown(await marketingSettings());
      },
    }),
  },
});
