import type pg from "pg";
import { seal } from "../../core/database/sealed.ts";
import type { DefineProofs } from "../../test/support/fixture/proofs.ts";
import { codeDigest } from "./second-factor/codes.ts";
import { secretPlace } from "./second-factor/two-factors.ts";

/** The second factor of a person who signs in for an operation that is about it. */
const SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
type FactorState = "pending" | "confirmed" | "phone";

/** What the generic proofs need to know of accounts and keys. Loaded by the tests alone. */
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

  return {
    makers: {
      membership_id: { ofCompany: false, make: async (place) => (await newMember(place)).membershipId },
      user_id: { ofCompany: false, make: async (place) => (await newMember(place)).accountId },
      id: { ofCompany: false, make: async (place) => (await newMember(place)).accountId },
      actor: { ofCompany: false, make: async (place) => (await newMember(place)).accountId },
      role_id: { ofCompany: false, make: newRole },
      from: { ofCompany: false, make: newRole },
      // Of the person who then makes the call: no caller ends another person's session.
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
      // A key has a secret, which the service makes.
      key_id: {
        ofCompany: false,
        make: async ({ tenant, token }) =>
          idOf(await tenant.owner.post("/api-keys", { name: named(token), scopes: ["companies.company.read"] })),
      },
      account_id: { ofCompany: false, make: (place) => insert(place, "service_accounts", { name: named(place.token) }) },
    },
    values: {
      code: () => totp(SECRET),
      permission: () => "companies.company.read",
      scope: () => "companies.company.read",
    },
    bodies: {
      "PUT /members/{membership_id}/roles": async ({ tenant, sql }) => {
        const text = "select id from roles where organisation_id = $1 and key = 'member'";
        return { role_ids: [(await sql.query(text, [tenant.organisation.id])).rows[0].id] };
      },
    },
    arranged: {
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
      "GET /service-accounts/{account_id}/keys": "keys of one account; its own test counts the statements",
    },
  };
};
export default proofs;
