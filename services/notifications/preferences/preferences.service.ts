import { query } from "../../../core/database/query.ts";
import { action } from "../../../core/declare/action.ts";
import { internal } from "../../../core/declare/makers/internal.ts";
import { forbidden } from "../../../core/errors/errors.ts";
import { statement } from "../../../core/sql/statement.ts";
import { resource } from "../../../mixins/resource.ts";
import { Preferences } from "../models.ts";
import { matrix, organisationScope, ownScope } from "./matrix.ts";
import { PreferenceMatrix, PreferenceUpdate } from "./preference-schemas.ts";
import { replacePreferences } from "./preference-writes.ts";
import { dueSoonDays, joinPreferences } from "./resolution.ts";

const READ = "notifications.notification.read";
const DEFAULTS = "notifications.defaults.manage";

const DUE_SOON = statement(`select m.account_id, ${dueSoonDays} as days
  from (select null::uuid as account_id union all
    select l.account_id from member_access l where l.organisation_id = $1 and l.is_live) m
  ${joinPreferences("$1", "m.account_id")}`);

/** People's notification preferences, and the organisation's defaults (platform chapter §5.4). */
export default resource("notifications.preferences", {
  model: Preferences,
  actions: {
    read: action({
      rest: "GET /notifications/preferences",
      summary: "Read your notification preferences",
      description: "Each row applies as a whole and names its source: you, the organisation, or the default.",
      permission: READ,
      returns: PreferenceMatrix,
      handler: () => matrix(ownScope()),
    }),

    replace: action({
      rest: "PUT /notifications/preferences",
      summary: "Replace your notification preferences",
      description: "Replaces all of them: omitted rules inherit again, and an omitted channel becomes silent.",
      permission: "notifications.notification.write",
      body: PreferenceUpdate,
      returns: PreferenceMatrix,
      errors: ["not_found"],
      async handler(ctx) {
        const scope = ownScope();
        if (scope.account === null) throw forbidden();
        await replacePreferences(scope, ctx.params.body);
        return matrix(scope);
      },
    }),

    readDefaults: action({
      rest: "GET /notifications/preferences/defaults",
      summary: "Read the organisation's default preferences",
      description: "With `notifications.channels.manage` also the routing to the shared rooms.",
      permission: DEFAULTS,
      returns: PreferenceMatrix,
      handler: () => matrix(organisationScope()),
    }),

    replaceDefaults: action({
      rest: "PUT /notifications/preferences/defaults",
      summary: "Replace the organisation's default preferences",
      description: "Replaces all of them. Without `notifications.channels.manage` the routes of the shared rooms stay.",
      permission: DEFAULTS,
      body: PreferenceUpdate,
      returns: PreferenceMatrix,
      errors: ["not_found"],
      async handler(ctx) {
        const scope = organisationScope();
        await replacePreferences(scope, ctx.params.body);
        return matrix(scope);
      },
    }),

    dueSoonDays: internal({
      summary: "Read how many days before a due date each member gets a reminder",
      description: "By account id; the empty key has the days of everyone else.",
      permission: DEFAULTS,
      async handler(ctx) {
        const rows = await query<{ account_id: string | null; days: number }>(DUE_SOON, [ctx.meta.organisation.id]);
        return Object.fromEntries(rows.map(({ account_id, days }) => [account_id ?? "", days]));
      },
    }),
  },
});
