import { query } from "../../../core/database/query.ts";
import { statement } from "../../../core/database/statement.ts";
import { action } from "../../../core/declare/action.ts";
import { forbidden } from "../../../core/declare/errors.ts";
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
      summary: "How you are told of each event",
      description: "Each row counts as a whole and says where it comes from: yourself, the organisation, or the default.",
      permission: READ,
      returns: PreferenceMatrix,
      handler: () => matrix(ownScope()),
    }),

    replace: action({
      rest: "PUT /notifications/preferences",
      summary: "Replace how you are told",
      description: "All of it: what is left out inherits again, and a channel that is left out is silent.",
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
      summary: "How people are told who did not say",
      description: "With `notifications.channels.manage` also what goes to the shared rooms.",
      permission: DEFAULTS,
      returns: PreferenceMatrix,
      handler: () => matrix(organisationScope()),
    }),

    replaceDefaults: action({
      rest: "PUT /notifications/preferences/defaults",
      summary: "Replace how people are told who did not say",
      description: "All of it. Without `notifications.channels.manage` the routes of the shared rooms stay as they are.",
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

    dueSoonDays: action({
      summary: "Days before a due date on which each member hears of it",
      description: "By account id; under the empty text what counts for others.",
      permission: DEFAULTS,
      async handler(ctx) {
        const rows = await query<{ account_id: string | null; days: number }>(DUE_SOON, [ctx.meta.organisation.id]);
        return Object.fromEntries(rows.map(({ account_id, days }) => [account_id ?? "", days]));
      },
    }),
  },
});
