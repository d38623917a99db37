import { seal } from "../../core/database/sealed.ts";
import type { DefineProofs, Place } from "../../test/support/fixture/proofs.ts";

/** What the generic proofs need to know of the workspace suite. Loaded by the tests alone. */
const proofs: DefineProofs = ({ google, named, next }) => {
  const settings = async ({ tenant }: Place) => {
    const { id, secret } = google.state.client();
    const on = { calendar_enabled: true, drive_enabled: true, mail_enabled: true };
    const { status, text } = await tenant.owner.put("/workspace/settings", { client_id: id, client_secret: secret, ...on });
    if (status !== 200) throw new Error(`no settings: ${status} ${text}`);
    return id;
  };
  /** A connection of the owner, whose grant is at the simulated Google. */
  const connection = async (place: Place) => {
    const { tenant, sql } = place;
    const clientId = await settings(place);
    const person = google.state.person(`workspace${next()}@example.com`);
    const grant = google.state.granted(person, clientId, ["openid"]);
    const { refresh_token: token } = google.state.tokens(grant, { refresh: true }) as { refresh_token: string };
    const { id: organisation } = tenant.organisation;
    await sql.query("delete from workspace_connections where organisation_id = $1 and account_id = $2", [
      organisation,
      tenant.owner.accountId,
    ]);
    const id = crypto.randomUUID();
    await sql.query(
      `insert into workspace_connections (id, organisation_id, account_id, subject, client_id, email, scopes, refresh_token)
       values ($1, $2, $3, $4, $5, $6, '{openid}', $7)`,
      [
        id,
        organisation,
        tenant.owner.accountId,
        person.subject,
        clientId,
        person.email,
        seal(token, { table: "workspace_connections", column: "refresh_token", organisation, row: id }),
      ],
    );
    return id;
  };
  return {
    values: { next: () => "/settings/account" },
    bodies: {
      "PUT /workspace/settings": async ({ token }) => ({ client_id: token, client_secret: named(token), calendar_enabled: true }),
    },
    arranged: {
      "GET /workspace/oauth/connect": settings,
      "GET /workspace/connections/me": connection,
      "PATCH /workspace/connections/me": connection,
      "POST /workspace/connections/me/disconnect": connection,
    },
  };
};
export default proofs;
