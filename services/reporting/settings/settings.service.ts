import { isDeepStrictEqual } from "node:util";
import { differences, lock, queueInsert, queueUpdate, withoutBlanks } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { requireMatch } from "../../../core/http/etag.ts";
import { request } from "../../../core/request/context.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { JsonText } from "../../../core/sql/json-text.ts";
import { changesOf, trail } from "../../../core/trail/trail.ts";
import { resource } from "../../../mixins/resource.ts";
import { requireLocale } from "../locale.ts";
import { ReportingSettings } from "../models.ts";
import { effectiveSchedule, ownSchedule } from "../schedule/schedule.ts";
import { DEFAULTS, type Settings, storedSettings } from "./settings-rows.ts";
import { ReportingSettingsRead, ReportingSettingsWrite } from "./settings-schemas.ts";

const KIND = "reporting_settings";
/** Version of settings that were never saved. */
const UNSAVED_VERSION = 0;

/** Settings as answered: the schedule with every key. */
function shown({ default_locale, footer_text, schedule }: Settings, version: number): JsonText {
  const body: Static<typeof ReportingSettingsRead> = {
    default_locale,
    footer_text,
    schedule: { ...effectiveSchedule(schedule) },
  };
  return new JsonText(JSON.stringify(body), version);
}

/** The organisation's report settings (workspace-reporting §1.4). */
export default resource("reporting.settings", {
  model: ReportingSettings,
  actions: {
    get: action({
      rest: "GET /reporting/settings",
      summary: "Read the language, footer and schedule of reports",
      permission: "reporting.profile.manage",
      returns: ReportingSettingsRead,
      async handler() {
        const row = await storedSettings();
        return shown(row ?? DEFAULTS, row?.version ?? UNSAVED_VERSION);
      },
    }),

    replace: action({
      rest: "PUT /reporting/settings",
      summary: "Replace the language, footer and schedule of reports",
      description: "Omitted fields get their defaults, each key of the schedule too. The answer has the effective schedule.",
      permission: "reporting.settings.manage",
      body: ReportingSettingsWrite,
      returns: ReportingSettingsRead,
      async handler({ params: { body } }) {
        const values = withoutBlanks(ReportingSettings, {
          default_locale: body.default_locale ?? DEFAULTS.default_locale,
          footer_text: body.footer_text ?? null,
          schedule: ownSchedule(body.schedule),
        });
        requireLocale("default_locale", values.default_locale);
        const found = await storedSettings();
        const row = found && (await lock(ReportingSettings, found.id));
        requireMatch(row?.version ?? UNSAVED_VERSION);
        if (!row) {
          // Of two concurrent first writes, the later one reruns and finds the earlier one's row.
          request().retryableConstraints.add("reporting_settings_one");
          trail(KIND, queueInsert(ReportingSettings, values), "created");
          return shown(values, UNSAVED_VERSION + 1);
        }
        const changed = differences(row, values);
        if (!changed) return shown(values, row.version);
        queueUpdate(ReportingSettings, row.id, changed);
        const changes = changesOf(ReportingSettings.tracked, row, changed);
        if (!isDeepStrictEqual(row.schedule, values.schedule)) changes["schedule"] = { from: row.schedule, to: values.schedule };
        trail(KIND, row.id, "updated", { changes });
        return shown(values, row.version + 1);
      },
    }),
  },
});
