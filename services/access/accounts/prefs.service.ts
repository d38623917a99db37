import { newId, type RowOf } from "../../../core/database/model.ts";
import { queryAll, queryOne } from "../../../core/database/query.ts";
import { queueUpdate } from "../../../core/database/write.ts";
import { openAction } from "../../../core/declare/makers/open-action.ts";
import { forbidden, invalid } from "../../../core/errors/errors.ts";
import { requireMatch } from "../../../core/http/etag.ts";
import { JsonText } from "../../../core/sql/json-text.ts";
import { statement } from "../../../core/sql/statement.ts";
import { resource } from "../../../mixins/resource.ts";
import { UserPreferences } from "../models.ts";
import { UserPrefs, UserPrefsUpdate } from "../roles/role-schemas.ts";
import { mergedPrefs } from "./prefs.ts";

/** Most characters of JSON a person can store per organisation. */
const MOST = 65_536;

const READ = statement("select prefs, version from user_preferences where organisation_id = $1 and account_id = $2");
const MAKE = statement(
  "insert into user_preferences (id, organisation_id, account_id, version) values ($3, $1, $2, 0) on conflict (organisation_id, account_id) do nothing",
);
const LOCK = statement(
  "select id, prefs, version from user_preferences where organisation_id = $1 and account_id = $2 for update",
);

type StoredPreferences = Pick<RowOf<typeof UserPreferences>, "id" | "prefs" | "version">;

const shown = (prefs: object, version: number) => new JsonText(JSON.stringify({ prefs }), version);

export default resource("prefs", {
  model: UserPreferences,
  actions: {
    read: openAction({
      rest: "GET /prefs",
      summary: "Read your preferences in this organisation",
      open: "all members manage their own preferences",
      returns: UserPrefs,
      async handler(ctx) {
        const { organisation, principal } = ctx.meta;
        const row = await queryOne<Pick<StoredPreferences, "prefs" | "version">>(READ, [
          organisation.id,
          principal?.accountId ?? null,
        ]);
        return shown(row?.prefs ?? {}, row?.version ?? 0);
      },
    }),

    update: openAction({
      rest: "PUT /prefs",
      summary: "Merge into your own preferences",
      description: "An object is merged into an object one level deep; any other value replaces the stored one.",
      open: "all members manage their own preferences",
      body: UserPrefsUpdate,
      returns: UserPrefs,
      async handler(ctx) {
        const { organisation, principal } = ctx.meta;
        if (!principal?.accountId) throw forbidden();
        const place = [organisation.id, principal.accountId];
        const [, rows] = await queryAll([MAKE, [...place, newId()]], [LOCK, place]);
        const [stored] = rows as unknown as [StoredPreferences];
        requireMatch(stored.version);
        const prefs = mergedPrefs(stored.prefs, ctx.params.body.prefs ?? {});
        if (JSON.stringify(prefs).length > MOST) throw invalid({ prefs: "errors.validation" });
        queueUpdate(UserPreferences, stored.id, { prefs });
        return shown(prefs, stored.version + 1);
      },
    }),
  },
});
