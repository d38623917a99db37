import type pg from "pg";
import { seal } from "../../core/database/sealed.ts";
import { digest } from "../../core/security/crypto.ts";
import type { DefineProofs } from "../../test/support/fixture/proofs.ts";
import { codeDigest } from "./second-factor/codes.ts";
import { secretPlace } from "./second-factor/two-factors.ts";

/** The second factor of a person who signs in for a second-factor operation. */
const SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
const REDIRECT = "https://app.example.com/callback";
/** Covered on a hosted deployment (test/api/access/service-access.test.ts). */
const SELF_HOSTED = "access §10: 404 on a self-hosted deployment";
type FactorState = "pending" | "confirmed" | "phone";

/** Fixtures for accounts and keys. Only tests load them. */
const proofs: DefineProofs = ({ next, named, insert, idOf, newMember, signsIn, password, totp }) => {
  const newRole = (place: Parameters<typeof newMember>[0]) => insert(place, "roles", { key: `made-${next()}` });
  const enrol = (state: FactorState) => async (sql: pg.ClientBase, accountId: string) => {
    const code = codeDigest(accountId, totp(SECRET));
    await sql.query(
      `insert into two_factors (account_id, secret, confirmed_at, phone, sms_code_hash, sms_expires_at)
       values ($1, $2, case when $3 <> 'pending' then now() end, case when $3 = 'phone' then '+31612345678' end, $4, now() + interval '1 hour')`,
      [accountId, seal(SECRET, secretPlace(accountId)), state, code],
    );
  };
  const enabled = async ({ tenant }: Parameters<typeof newMember>[0], { subject_id: id }: Record<string, string>) => {
    const { status, text } = await tenant.owner.post(`/portal/logins/contact/${id}`);
    if (status !== 200) throw new Error(`no portal login: ${status} ${text}`);
  };

  const newClient = (place: Parameters<typeof newMember>[0], client_id = `client-${next()}`) =>
    insert(place, "oauth_clients", { client_id, name: named(place.token), redirect_uris: [REDIRECT], approved_at: new Date() });

  return {
    makers: {
      membership_id: { ofCompany: false, make: async (place) => (await newMember(place)).membershipId },
      user_id: { ofCompany: false, make: async (place) => (await newMember(place)).accountId },
      id: { ofCompany: false, make: async (place) => (await newMember(place)).accountId },
      actor: { ofCompany: false, make: async (place) => (await newMember(place)).accountId },
      role_id: { ofCompany: false, make: newRole },
      from: { ofCompany: false, make: newRole },
      // Belongs to the person who then makes the call: no caller can end another person's session.
      session_id: {
        ofCompany: false,
        async make({ tenant, sql }) {
          const person = await tenant.member("owner", { password });
          signsIn(tenant, person);
          const { rows } = await sql.query(
            `insert into sessions (organisation_id, account_id, token_hash, expires_at)
             values ($1, $2, sha256(gen_random_uuid()::text::bytea), now() + interval '1 hour') returning id`,
            [tenant.organisation.id, person.accountId],
          );
          return rows[0].id;
        },
      },
      // The service creates a key's secret.
      key_id: {
        ofCompany: false,
        make: async ({ tenant, token }) =>
          idOf(await tenant.owner.post("/api-keys", { name: named(token), scopes: ["companies.company.read"] })),
      },
      account_id: { ofCompany: false, make: (place) => insert(place, "service_accounts", { name: named(place.token) }) },
      client_pk: { ofCompany: false, make: (place) => newClient(place) },
      // The operations that need a login create it.
      "/portal subject_id": {
        ofCompany: true,
        async make(place) {
          const id = await insert(place, "contacts", { first_name: named(place.token), email: `portal${next()}@example.com` });
          await place.sql.query("insert into contact_links (organisation_id, contact_id, company_id) values ($1, $2, $3)", [
            place.tenant.organisation.id,
            id,
            place.companyId,
          ]);
          return id;
        },
      },
    },
    values: {
      "/portal entity_type": () => "contact",
      code: () => totp(SECRET),
      permission: () => "companies.company.read",
      scope: () => "companies.company.read",
      "/oauth scope": () => "companies.company.read",
      "/oauth client_id": () => `client-${next()}`,
      "/oauth redirect_uri": () => REDIRECT,
      "/oauth resource_path": () => "/mcp",
    },
    bodies: {
      "POST /oauth/consent": async (place) => {
        const client_id = `client-${next()}`;
        await newClient(place, client_id);
        return { client_id, redirect_uri: REDIRECT, code_challenge: "x".repeat(43), scopes: ["companies.company.read"] };
      },
      "POST /oauth/token": async (place) => {
        const [client_id, refresh_token] = [`client-${next()}`, `ktr_${digest(`refresh ${next()}`).toString("hex")}`];
        const key = {
          name: named(place.token),
          lookup: `oauth${next()}`,
          secret_hash: digest("x"),
          scopes: ["companies.company.read"],
        };
        const of = { account_id: place.tenant.owner.accountId, oauth_client_id: await newClient(place, client_id) };
        const key_id = await insert(place, "api_keys", { ...key, ...of });
        await insert(place, "oauth_refresh_tokens", { key_id, token_hash: digest(refresh_token), expires_at: "2100-01-01" });
        return { grant_type: "refresh_token", client_id, refresh_token };
      },
      "PUT /settings/sso": async ({ token }) => ({
        enabled: true,
        enforced: false,
        name: named(token),
        discovery_url: "https://id.example.com/.well-known/openid-configuration",
        client_id: token,
        client_secret: named(token),
        default_role: "member",
      }),
      "PUT /members/{membership_id}/roles": async ({ tenant, sql }) => {
        const text = "select id from roles where organisation_id = $1 and key = 'member'";
        return { role_ids: [(await sql.query(text, [tenant.organisation.id])).rows[0].id] };
      },
    },
    absent: {
      "GET /settings/service-access": SELF_HOSTED,
      "POST /settings/service-access": SELF_HOSTED,
      "DELETE /settings/service-access": SELF_HOSTED,
    },
    arranged: {
      "GET /oauth/consent": (place, { client_id }) => newClient(place, client_id),
      "DELETE /portal/logins/{entity_type}/{subject_id}": enabled,
      "POST /portal/logins/{entity_type}/{subject_id}/resend": enabled,
      "POST /portal/logins/{entity_type}/{subject_id}/impersonate": enabled,
      "DELETE /members/{membership_id}/two-factor": async ({ sql }, { membership_id: id }) => {
        const { rows } = await sql.query("select account_id from memberships where id = $1", [id]);
        await enrol("confirmed")(sql, rows[0].account_id);
      },
    },
    signedIn: {
      "POST /auth/2fa/confirm": enrol("pending"),
      "POST /auth/2fa/backup-codes": enrol("confirmed"),
      "POST /auth/2fa/sms/setup": enrol("confirmed"),
      "POST /auth/2fa/sms/confirm": enrol("phone"),
    },
    fixedLists: {
      "GET /oauth/connections": "the caller's approvals; a separate test counts the statements",
      "GET /service-accounts/{account_id}/keys": "keys of one account; a separate test counts the statements",
    },
  };
};
export default proofs;
