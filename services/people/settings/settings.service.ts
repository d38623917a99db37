import { columns, type RowOf, type UpdateOf } from "../../../core/database/model.ts";
import { queryOne } from "../../../core/database/query.ts";
import { differences, queueInsert, queueUpdate } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { requireMatch } from "../../../core/http/etag.ts";
import { request } from "../../../core/request/context.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { JsonText } from "../../../core/sql/json-text.ts";
import { statement } from "../../../core/sql/statement.ts";
import { formatAmount } from "../../../core/values/money.ts";
import { resource } from "../../../mixins/resource.ts";
import { refuseWith } from "../callers.ts";
import { LeaveSettingsModel, UNSAVED_VERSION } from "../models.ts";
import { lockEverybody } from "../person-lock.ts";
import { reprorate } from "../pots/rederivation.ts";
import { loadSources } from "../sources.ts";
import { LeaveSettingsRead, LeaveSettingsUpdate } from "../working-time/schedule-schemas.ts";
import { readWeek } from "../working-time/week-validation.ts";
import { DEFAULT_SETTINGS, type LeaveSettings, normChanged } from "./settings.ts";

const STORED = statement(`select ${columns(LeaveSettingsModel)} from leave_settings where organisation_id = $1`);

interface StoredSettings {
  readonly id: string | null;
  readonly version: number;
  readonly settings: LeaveSettings;
}

async function storedSettings(): Promise<StoredSettings> {
  const row = await queryOne<RowOf<typeof LeaveSettingsModel>>(STORED, [request().organisation.id]);
  if (!row) return { id: null, version: UNSAVED_VERSION, settings: DEFAULT_SETTINGS };
  const { id, version, organisation_id: _organisation, created_at: _created, updated_at: _updated, ...named } = row;
  return { id, version, settings: { ...named, default_schedule: named.default_schedule ?? DEFAULT_SETTINGS.default_schedule } };
}

/** Normalises sent settings: the week sorted, the rate in cents. @throws 422 for an invalid week */
function valuesOf(sent: Static<typeof LeaveSettingsUpdate>): UpdateOf<typeof LeaveSettingsModel> {
  const { default_schedule: week, default_hourly_rate: rate, ...rest } = sent;
  const read = week ? readWeek(week, "default_schedule") : null;
  if (read?.allowed === false) refuseWith(read.refusal);
  return {
    ...rest,
    ...(read?.allowed && { default_schedule: read.week }),
    ...(rate !== undefined && { default_hourly_rate: rate === null ? null : formatAmount(rate) }),
  };
}

export default resource("leave.settings", {
  model: LeaveSettingsModel,
  actions: {
    get: action({
      rest: "GET /leave/settings",
      summary: "Read the organisation's leave settings",
      permission: "leave.profile.manage",
      returns: LeaveSettingsRead,
      async handler() {
        const { settings, version } = await storedSettings();
        return new JsonText(JSON.stringify(settings), version);
      },
    }),

    update: action({
      rest: "PUT /leave/settings",
      summary: "Change the leave settings; omitted fields stay unchanged",
      description: "A changed full-time week recomputes the generated pots of this year and later.",
      permission: "leave.profile.manage",
      body: LeaveSettingsUpdate,
      returns: LeaveSettingsRead,
      async handler(ctx) {
        const values = valuesOf(ctx.params.body);
        lockEverybody();
        const { id, version, settings: before } = await storedSettings();
        requireMatch(version);
        const changed = differences(before, values);
        const after = { ...before, ...changed } as LeaveSettings;
        if (!changed) return new JsonText(JSON.stringify(after), version);
        if (normChanged(before, after)) {
          const sources = await loadSources({ users: "all", ledger: "pots" });
          const people = sources.people.map((person) => ({ ...person, default_schedule: after.default_schedule }));
          reprorate({ ...sources, people }, null);
        }
        if (id === null) queueInsert(LeaveSettingsModel, { ...changed, version: UNSAVED_VERSION + 1 });
        else queueUpdate(LeaveSettingsModel, id, changed);
        return new JsonText(JSON.stringify(after), version + 1);
      },
    }),
  },
});
