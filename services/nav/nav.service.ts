import { column, type RowOf, tenantModel } from "../../core/database/model.ts";
import { query, queryOne } from "../../core/database/query.ts";
import { queueInsert, queueRemove, queueUpdate } from "../../core/database/write.ts";
import { action } from "../../core/declare/action.ts";
import { forbidden } from "../../core/errors/errors.ts";
import { requireMatch } from "../../core/http/etag.ts";
import { callerId } from "../../core/request/caller.ts";
import { request } from "../../core/request/context.ts";
import { JsonText } from "../../core/sql/json-text.ts";
import { statement } from "../../core/sql/statement.ts";
import { resource } from "../../mixins/resource.ts";
import { defaultLayout, type Layout, type NavGroup, type NavItem, navigation, ownLayout } from "./layout.ts";
import { NavPrefs, NavPrefsUpdate } from "./nav-schemas.ts";

const { json, uuid } = column;

/** The layout of a person, or of the organisation (without account). */
const NavLayout = tenantModel("nav_layouts", {
  account_id: uuid().orNull(),
  items: json<NavItem[]>(),
  groups: json<NavGroup[]>(),
});
type StoredLayout = Pick<RowOf<typeof NavLayout>, "id" | "version">;

const READ = statement(`select account_id is null as is_default, items, groups, version from nav_layouts
  where organisation_id = $1 and (account_id is null or account_id = $2)`);
const LOCK = statement(`select id, version from nav_layouts
  where organisation_id = $1 and account_id is not distinct from $2 for update`);

/** The caller's navigation; its tag is that of the caller's own layout. */
async function effective(): Promise<JsonText> {
  const rows = await query<Layout & { is_default: boolean; version: number }>(READ, [request().organisation.id, callerId()]);
  const of = (isDefault: boolean) => rows.find(({ is_default }) => is_default === isDefault);
  return new JsonText(JSON.stringify(navigation(of(false), of(true))), of(false)?.version ?? 0);
}

/** Locks the stored row of a person or the organisation. @throws 412 */
async function locked(accountId: string | null): Promise<StoredLayout | undefined> {
  const row = await queryOne<StoredLayout>(LOCK, [request().organisation.id, accountId]);
  // `*` needs a row (RFC 9110 §13.1.1).
  if (row || request().ifMatch?.trim() !== "*") requireMatch(row?.version ?? 0);
  return row;
}

async function store(accountId: string | null, layout: Layout): Promise<void> {
  const row = await locked(accountId);
  if (row) return queueUpdate(NavLayout, row.id, layout);
  // A concurrent request may have inserted the row first.
  request().retryableConstraints.add("nav_layouts_owner_key");
  queueInsert(NavLayout, { account_id: accountId, ...layout });
}

/** @throws 403 for a service account, which has no personal layout */
function person(): string {
  const id = callerId();
  if (id === null) throw forbidden();
  return id;
}

export default resource("nav", {
  model: NavLayout,
  actions: {
    read: action({
      rest: "GET /nav/prefs",
      verb: "get",
      summary: "The navigation as you have it",
      description: "Your own layout, else the organisation's, else none. Names and groups are always the organisation's.",
      permission: "nav.prefs.read",
      returns: NavPrefs,
      handler: () => effective(),
    }),

    save: action({
      rest: "PUT /nav/prefs",
      summary: "Order your own navigation",
      description:
        "Stores the order and the hidden entries; names and groups in the request are ignored and stay the organisation's.",
      permission: "nav.prefs.write",
      body: NavPrefsUpdate,
      example: {
        items: [
          { key: "tasks", hidden: false },
          { key: "companies", hidden: false },
          { key: "invoicing", hidden: true },
        ],
      },
      returns: NavPrefs,
      async handler(ctx) {
        await store(person(), ownLayout(ctx.params.body));
        return effective();
      },
    }),

    reset: action({
      rest: "DELETE /nav/prefs",
      summary: "Reset to the organisation's navigation",
      permission: "nav.prefs.write",
      returns: null,
      async handler() {
        const row = await locked(person());
        if (row) queueRemove(NavLayout, row.id);
      },
    }),

    saveDefault: action({
      rest: "PUT /nav/prefs/default",
      summary: "Order and name the organisation's navigation",
      description: "Names are by locale, `nl` and `en`. Groups without a name are not stored.",
      permission: "settings.nav.manage",
      body: NavPrefsUpdate,
      example: {
        items: [{ key: "companies", label: { nl: "Klanten", en: "Clients" } }, { key: "tasks" }],
        groups: [{ key: "work", label: { nl: "Werk", en: "Work" } }],
      },
      returns: NavPrefs,
      async handler(ctx) {
        const layout = defaultLayout(ctx.params.body);
        await store(null, layout);
        return navigation(undefined, layout);
      },
    }),
  },
});
