import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { LOCALES } from "../../../core/config/defaults.ts";
import { runtime } from "../../../core/config/runtime.ts";
import { enqueue, queryOne } from "../../../core/database/query.ts";
import { action } from "../../../core/declare/action.ts";
import { openAction } from "../../../core/declare/makers/open-action.ts";
import { ApiError, forbidden, invalid } from "../../../core/errors/errors.ts";
import { requireMatch, requireTag } from "../../../core/http/etag.ts";
import { LICENCE_COLUMNS, licenceOf } from "../../../core/organisation/licence-state.ts";
import { requireNoImpersonation } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import { JsonText } from "../../../core/sql/json-text.ts";
import { type Row, type Statement, statement } from "../../../core/sql/statement.ts";
import { trail } from "../../../core/trail/trail.ts";
import { takesPasswords } from "../../../mixins/local-sign-in.ts";
import { service } from "../../../mixins/resource.ts";
import { ModulesMeta, OwnMeta, OwnMetaUpdate, TenantMeta, TenantMetaUpdate } from "./meta-schemas.ts";
import { enabledAfter, isWebAddress, moduleNames, tenantValues } from "./meta-values.ts";

const TENANT = `select o.slug, o.name, o.brand_name, o.logo_url, o.icon_url, o.primary_color, o.accent_color, o.locale, o.timezone, o.currency,
    o.country, o.enabled_modules, o.status, ${LICENCE_COLUMNS}
  from organisations o where o.id = $1`;
const READ = statement(TENANT);
const LOCK = statement(`${TENANT} for update of o`);
const OWN =
  statement(`select a.id, a.email, a.full_name, a.locale, coalesce(a.custom_avatar_url, a.avatar_url) as avatar_url, a.version
  from accounts a where a.id = $1`);
const LOCK_OWN = statement("select version from accounts where id = $1 for update");

const updates = new Map<string, Statement>();
/** `update <table> set … where id = $1` for these columns, only if a value differs. */
function updateOf(table: "organisations" | "accounts", columns: readonly string[]): Statement {
  const sets = columns.map((column, index) => `${column} = $${index + 2}`).join(", ");
  const slots = columns.map((_, index) => `$${index + 2}`).join(", ");
  const text = `update ${table} set ${sets}, updated_at = statement_timestamp()
    where id = $1 and row(${columns.join(", ")}) is distinct from row(${slots})`;
  if (!updates.has(text)) updates.set(text, statement(text));
  return updates.get(text) as Statement;
}

const read = async (text: Statement): Promise<Row> => (await queryOne<Row>(text, [request().organisation.id])) as Row;

function modulesOf(row: Row) {
  const { licensed, entitled } = moduleNames(licenceOf(row), Date.now());
  return { enabled_modules: row["enabled_modules"], licensed_modules: licensed, entitled_modules: entitled };
}

const shown = (row: Row) => ({
  slug: row["slug"],
  brand_name: row["brand_name"] ?? row["name"],
  logo_url: row["logo_url"],
  icon_url: row["icon_url"],
  primary_color: row["primary_color"],
  accent_color: row["accent_color"],
  locale: row["locale"],
  timezone: row["timezone"],
  currency: row["currency"],
  country: row["country"],
  ...modulesOf(row),
  posture: runtime().config.posture,
  suspended: row["status"] === "suspended",
});

/** The columns of an organisation that its PATCH changes. */
const CHANGED = [
  ...["brand_name", "logo_url", "icon_url", "primary_color", "accent_color"],
  ...["locale", "timezone", "currency", "country", "enabled_modules"],
];
/** The tag of the organisation's state: a digest, because its row counts no versions. */
const tagOf = (row: Row): string =>
  `"${createHash("sha256")
    .update(JSON.stringify(CHANGED.map((column) => row[column])))
    .digest("base64url")
    .slice(0, 22)}"`;

/** The organisation as an answer, with its tag. */
function tagged(row: Row) {
  request().headers["ETag"] = tagOf(row);
  return shown(row);
}

/** The modules a PATCH enables. @throws 422, 409 `module_requirements_unmet`, `license_required` or `plan_inactive` */
function wantedModules(row: Row, asked: readonly string[]): string[] {
  const after = enabledAfter(row["enabled_modules"] as string[], asked, licenceOf(row), Date.now());
  if (typeof after !== "string") return after;
  if (after === "unknown") throw invalid({ enabled_modules: "errors.validation" });
  const unlicensed = runtime().config.posture === "hosted" ? "plan_inactive" : "license_required";
  const code = after === "requirements" ? "module_requirements_unmet" : unlicensed;
  throw new ApiError(409, code, `errors.${code}`, { fields: { enabled_modules: `errors.${code}` } });
}

async function own() {
  const { principal } = request();
  const behind = principal?.impersonation;
  const person = principal?.accountId ? await queryOne<Row>(OWN, [principal.accountId]) : undefined;
  const body = {
    id: person?.["id"] ?? null,
    email: person?.["email"] ?? null,
    full_name: person ? person["full_name"] : (principal?.name ?? null),
    permissions: principal?.grants.toSorted() ?? [],
    locale: person?.["locale"] ?? null,
    avatar_url: person?.["avatar_url"] ?? null,
    is_portal: principal?.isClientLogin ?? false,
    impersonated_by: behind?.name ?? null,
    impersonation_expires_at: behind?.expiresAt ?? null,
    impersonation_kind: behind ? "portal" : null,
    impersonation_narrowed: behind?.isNarrowed ?? false,
  };
  return new JsonText(JSON.stringify(body), (person?.["version"] as number | undefined) ?? null);
}

export default service("meta", {
  actions: {
    tenant: openAction({
      rest: "GET /meta/tenant",
      summary: "Branding, language, money and modules of the organisation of this host",
      open: "a sign-in page shows whose it is before anybody is signed in",
      needs: "nothing",
      whileSuspended: true,
      returns: TenantMeta,
      handler: async () => tagged(await read(READ)),
    }),

    updateTenant: action({
      rest: "PATCH /meta/tenant",
      summary: "Change branding, language, money or modules of the organisation",
      permission: "settings.branding.write",
      body: TenantMetaUpdate,
      example: {
        brand_name: "Bureau Noorderlicht",
        primary_color: "#1f6feb",
        locale: "nl",
        timezone: "Europe/Amsterdam",
        currency: "EUR",
        country: "NL",
      },
      returns: TenantMeta,
      errors: ["module_requirements_unmet", "license_required", "plan_inactive"],
      async handler(ctx) {
        const { enabled_modules: asked, ...sent } = ctx.params.body;
        const texts = tenantValues(sent);
        const before = await read(LOCK);
        requireTag(tagOf(before));
        const values: Row = { ...texts, ...(asked && { enabled_modules: wantedModules(before, asked) }) };
        const columns = Object.keys(values).filter((column) => !isDeepStrictEqual(values[column], before[column]));
        if (columns.length > 0) {
          const { id } = ctx.meta.organisation;
          enqueue(updateOf("organisations", columns), [id, ...columns.map((column) => values[column])]);
          const changes = columns.map((column) => [column, { from: before[column], to: values[column] }]);
          trail("organisation", id, "updated", { changes: Object.fromEntries(changes) });
        }
        return tagged({ ...before, ...values });
      },
    }),

    modules: openAction({
      rest: "GET /meta/modules",
      summary: "Modules, and the ways to sign in",
      open: "a sign-in page shows its options before anyone is signed in",
      needs: "nothing",
      whileSuspended: true,
      returns: ModulesMeta,
      async handler(ctx) {
        const modules = modulesOf(await read(READ));
        const { name } = await ctx.call<{ name: string | null }>("auth.oidc.offered");
        return {
          ...modules,
          local_login_enabled: takesPasswords(ctx.meta.organisation),
          oidc_enabled: name !== null,
          oidc_name: name,
          supported_locales: [...LOCALES],
        };
      },
    }),

    me: openAction({
      rest: "GET /meta/me",
      summary: "Read the caller's identity and permissions",
      open: "every caller can read their own identity",
      returns: OwnMeta,
      handler: () => own(),
    }),

    updateMe: openAction({
      rest: "PATCH /meta/me",
      summary: "Change your own name, language or picture",
      open: "every caller can change their own name",
      body: OwnMetaUpdate,
      returns: OwnMeta,
      async handler(ctx) {
        const { accountId } = ctx.meta.principal ?? {};
        if (!accountId) throw forbidden();
        // An account may belong to other organisations too, and an impersonator is not its owner.
        requireNoImpersonation(ctx.meta.principal);
        const picture = ctx.params.body.custom_avatar_url?.trim();
        if (picture && !isWebAddress(picture)) throw invalid({ custom_avatar_url: "errors.invalid_url" });
        if (request().ifMatch !== null) requireMatch(((await queryOne(LOCK_OWN, [accountId])) as { version: number }).version);
        const given: Row = {
          full_name: ctx.params.body.full_name === undefined ? undefined : ctx.params.body.full_name?.trim() || null,
          locale: ctx.params.body.locale,
          custom_avatar_url: ctx.params.body.custom_avatar_url === undefined ? undefined : picture || null,
        };
        const columns = Object.keys(given).filter((column) => given[column] !== undefined);
        if (columns.length > 0) enqueue(updateOf("accounts", columns), [accountId, ...columns.map((column) => given[column])]);
        return own();
      },
    }),
  },
});
