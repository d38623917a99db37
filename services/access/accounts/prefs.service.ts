import { newId } from "../../../core/database/model.ts";
import { enqueue, queryAll, queryOne } from "../../../core/database/query.ts";
import { statement } from "../../../core/database/statement.ts";
import { action } from "../../../core/declare/action.ts";
import { forbidden, invalid } from "../../../core/declare/errors.ts";
import { service } from "../../../mixins/resource.ts";
import { UserPrefs, UserPrefsUpdate } from "../roles/role-schemas.ts";
import { mergedPrefs } from "./prefs.ts";

/** Most characters of JSON a person may keep in one organisation. */
const MOST = 65_536;

const READ = statement("select prefs from user_preferences where organisation_id = $1 and account_id = $2");
const MAKE = statement(
  "insert into user_preferences (id, organisation_id, account_id) values ($3, $1, $2) on conflict (organisation_id, account_id) do nothing",
);
const LOCK = statement("select prefs from user_preferences where organisation_id = $1 and account_id = $2 for update");
const WRITE = statement(
  `update user_preferences set prefs = $3, version = version + 1, updated_at = statement_timestamp()
    where organisation_id = $1 and account_id = $2`,
);

type Prefs = Record<string, unknown>;

export default service("prefs", {
  actions: {
    read: action({
      rest: "GET /prefs",
      summary: "One's own preferences in this organisation",
      open: "everybody keeps preferences of their own",
      returns: UserPrefs,
      async handler(ctx) {
        const { organisation, principal } = ctx.meta;
        const row = await queryOne<{ prefs: Prefs }>(READ, [organisation.id, principal?.accountId ?? null]);
        return { prefs: row?.prefs ?? {} };
      },
    }),

    update: action({
      rest: "PUT /prefs",
      summary: "Merge into one's own preferences",
      description: "An object is merged into an object one level deep; anything else replaces what stood under its name.",
      open: "everybody keeps preferences of their own",
      body: UserPrefsUpdate,
      returns: UserPrefs,
      async handler(ctx) {
        const { organisation, principal } = ctx.meta;
        if (!principal?.accountId) throw forbidden();
        const place = [organisation.id, principal.accountId];
        const [, [row] = []] = await queryAll([MAKE, [...place, newId()]], [LOCK, place]);
        const prefs = mergedPrefs((row?.["prefs"] ?? {}) as Prefs, ctx.params.body.prefs ?? {});
        const text = JSON.stringify(prefs);
        if (text.length > MOST || text.includes("\\u0000")) throw invalid({ prefs: "errors.validation" });
        enqueue(WRITE, [...place, text]);
        return { prefs };
      },
    }),
  },
});
