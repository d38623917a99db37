import { query, queryOne, queryOutside } from "../../../core/database/query.ts";
import { givenSecret } from "../../../core/database/sealed.ts";
import { differences, queueInsert, queueUpdate } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import type { Meta } from "../../../core/declare/principal.ts";
import { requireMatch } from "../../../core/http/etag.ts";
import { isSameDestination } from "../../../core/outbound/guard/destination.ts";
import { requireUnrestricted } from "../../../core/request/caller.ts";
import { prepared, request } from "../../../core/request/context.ts";
import type { Static } from "../../../core/schema/schema.ts";
import { JsonText } from "../../../core/sql/json-text.ts";
import { statement } from "../../../core/sql/statement.ts";
import { resource } from "../../../mixins/resource.ts";
import { audit } from "../audit.ts";
import { requireMayHandOut } from "../members/memberships.ts";
import { callbackAddress } from "./addresses.ts";
import { discovered } from "./discovery.ts";
import { SsoSettings, type SsoSettingsRow } from "./models.ts";
import { SsoSettingsRead, SsoSettingsWrite, SsoTestResult } from "./schemas.ts";
import { type Connection, DEFAULTS, isSameConnection, plainSettings, requireTested, requireWhole } from "./settings-rules.ts";
import { connectionOf, LOCK_SETTINGS, READ_SETTINGS, UNSAVED_VERSION } from "./stored.ts";

const ROLES = statement(`select id, key, is_system, permissions, name_i18n from roles where organisation_id = $1 and is_system
  order by position, key`);

interface SystemRole {
  id: string;
  key: string;
  is_system: boolean;
  permissions: string[];
  name_i18n: Record<string, string>;
}

const systemRoles = (): Promise<SystemRole[]> => query<SystemRole>(ROLES, [request().organisation.id]);
const stored = (text = READ_SETTINGS) => queryOne<SsoSettingsRow>(text, [request().organisation.id]);

/** Settings as answered. */
function shown(
  row: Omit<SsoSettingsRow, "client_secret"> | undefined,
  { secret }: Connection,
  roles: readonly SystemRole[],
  { origin }: Meta,
): JsonText {
  const { enabled, enforced, name, discovery_url, client_id, default_role, auto_provision } = row ?? DEFAULTS;
  const answer: Static<typeof SsoSettingsRead> = {
    enabled,
    enforced,
    name,
    discovery_url,
    client_id,
    secret_configured: secret !== null,
    default_role,
    role_options: roles.map(({ key, name_i18n }) => ({ key, name_i18n })),
    auto_provision,
    tested: (row?.tested_at ?? null) !== null,
    callback_url: callbackAddress(origin),
    weak_encryption_key: false,
  };
  return new JsonText(JSON.stringify(answer), row?.version ?? UNSAVED_VERSION);
}

/** The result of testing the stored connection. */
interface Tried {
  connection: Connection;
  result: Static<typeof SsoTestResult>;
}

async function tried(row: SsoSettingsRow | undefined): Promise<Tried> {
  const connection = connectionOf(row);
  const { discovery_url: url } = connection;
  if (url === null) return { connection, result: { ok: false, issuer: null, error: "errors.sso_not_configured" } };
  const found = await discovered(url);
  if ("error" in found) return { connection, result: { ok: false, issuer: null, error: found.error } };
  return { connection, result: { ok: true, issuer: found.metadata.issuer, error: null } };
}

export default resource("sso", {
  model: SsoSettings,
  actions: {
    get: action({
      rest: "GET /settings/sso",
      summary: "Read how the organisation signs in at its identity provider",
      permission: "settings.auth.manage",
      returns: SsoSettingsRead,
      async handler(ctx) {
        const row = await stored();
        return shown(row, connectionOf(row), await systemRoles(), ctx.meta);
      },
    }),

    update: action({
      rest: "PUT /settings/sso",
      summary: "Replace the settings of single sign-on; an omitted secret stays unchanged",
      description:
        "Single sign-on can be enforced once the connection has been tested as it is stored: another address, client or secret needs another test. Not for callers who see some clients only.",
      permission: "settings.auth.manage",
      body: SsoSettingsWrite,
      example: {
        enabled: false,
        enforced: false,
        name: "Entra ID",
        discovery_url: "https://login.example.com/.well-known/openid-configuration",
        client_id: "kantoor",
        default_role: "member",
      },
      returns: SsoSettingsRead,
      errors: ["sso_test_required"],
      async handler(ctx) {
        // The caller could decide who signs in as an owner (conventions §5).
        requireUnrestricted(ctx.meta.principal);
        // Of two concurrent first saves, the second runs again and changes the row of the first.
        request().retryableConstraints.add("sso_settings_one");
        const { client_secret, ...asked } = ctx.params.body;
        const settings = plainSettings(asked);
        const before = await stored(LOCK_SETTINGS);
        const roles = await systemRoles();
        const known = connectionOf(before);
        const isSamePlace = isSameDestination(known.discovery_url, settings.discovery_url);
        const connection = { ...settings, secret: givenSecret(client_secret) ?? (isSamePlace ? known.secret : null) };
        const role = roles.find(({ key }) => key === settings.default_role);
        requireWhole(
          settings,
          connection.secret !== null,
          roles.map(({ key }) => key),
        );
        if (role) requireMayHandOut(role);
        requireMatch(before?.version ?? UNSAVED_VERSION);
        const isSame = isSameConnection(known, connection);
        const testedAt = isSame ? (before?.tested_at ?? null) : null;
        requireTested(settings.enforced, testedAt !== null);

        const isNewSecret = connection.secret !== known.secret;
        const values = { ...settings, tested_at: testedAt };
        const changed = differences(before ?? { ...DEFAULTS, tested_at: null }, values) ?? {};
        const names = Object.keys(changed).filter((name) => name !== "tested_at");
        if (isNewSecret) names.push("client_secret");
        if (before && names.length === 0) return shown(before, known, roles, ctx.meta);
        const written = { ...values, ...(isNewSecret && { client_secret: connection.secret }) };
        if (before) queueUpdate(SsoSettings, before.id, written);
        else queueInsert(SsoSettings, written);
        if (names.length > 0) audit("sso.update", { detail: { changed: names } });
        return shown(await stored(), connection, roles, ctx.meta);
      },
    }),

    test: action({
      rest: "POST /settings/sso/test",
      summary: "Check whether the provider's discovery document can be read and used",
      description: "Always 200: `error` has the failure. A success marks the stored connection as tested.",
      permission: "settings.auth.manage",
      returns: SsoTestResult,
      status: 200,
      prepare: async (ctx) => tried(await queryOutside<SsoSettingsRow>(READ_SETTINGS, [ctx.meta.organisation.id])),
      async handler() {
        const { connection, result } = prepared<Tried>();
        const row = await stored(LOCK_SETTINGS);
        if (result.ok && row && row.tested_at === null && isSameConnection(connection, connectionOf(row)))
          queueUpdate(SsoSettings, row.id, { tested_at: new Date().toISOString() });
        audit("sso.test", { detail: { ok: result.ok, ...(result.error !== null && { error: result.error }) } });
        return result;
      },
    }),
  },
});
