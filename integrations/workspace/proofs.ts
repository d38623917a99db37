import { seal } from "../../core/database/sealed.ts";
import type { DefineProofs, ModuleProofs, Place } from "../../test/support/fixture/proofs.ts";
import { driveProofs } from "./drive/proofs-drive.ts";
import { mailProofs } from "./mail/proofs-mail.ts";

/** The fixtures of the workspace suite. Only tests load them. */
const proofs: DefineProofs = (tools) => {
  const { google, named, newMember, next } = tools;
  const settings = async ({ tenant }: Place) => {
    const { id, secret } = google.state.client();
    const on = { calendar_enabled: true, drive_enabled: true, mail_enabled: true };
    const { status, text } = await tenant.owner.put("/workspace/settings", { client_id: id, client_secret: secret, ...on });
    if (status !== 200) throw new Error(`no settings: ${status} ${text}`);
    return id;
  };
  /** Connects a person with a grant at the simulated Google. */
  const connect = async ({ tenant, sql }: Place, accountId: string, clientId: string): Promise<void> => {
    const person = google.state.person(`workspace${next()}@example.com`);
    const grant = google.state.granted(person, clientId, ["openid"]);
    const tokens = google.state.tokens(grant, { refresh: true }) as { access_token: string; refresh_token: string };
    const [id, { id: organisation }] = [crypto.randomUUID(), tenant.organisation];
    const sealed = (column: "access_token" | "refresh_token") =>
      seal(tokens[column], { table: "workspace_connections", column, organisation, row: id });
    await sql.query("delete from workspace_connections where organisation_id = $1 and account_id = $2", [
      organisation,
      accountId,
    ]);
    await sql.query(
      `insert into workspace_connections (id, organisation_id, account_id, subject, client_id, email, scopes, refresh_token, access_token)
       values ($1, $2, $3, $4, $5, $6, '{openid}', $7, $8)`,
      [id, organisation, accountId, person.subject, clientId, person.email, sealed("refresh_token"), sealed("access_token")],
    );
  };
  const connection = async (place: Place) => connect(place, place.tenant.owner.accountId, await settings(place));
  const connectAll = async (place: Place, people: readonly string[]) => {
    const clientId = await settings(place);
    for (const accountId of people) await connect(place, accountId, clientId);
  };
  const drive = driveProofs(tools, connectAll);
  const mail = mailProofs(connectAll)(tools);
  const bodies: ModuleProofs["bodies"] = {
    ...drive.bodies,
    ...mail.bodies,
    "PUT /workspace/settings": async (place) => {
      const { accountId } = await newMember(place);
      await connect(place, accountId, "client.example");
      const client = { client_id: place.token, client_secret: named(place.token) };
      return { ...client, calendar_enabled: true, automation_connection_user_id: accountId };
    },
  };
  const arranged: ModuleProofs["arranged"] = {
    ...drive.arranged,
    ...mail.arranged,
    "GET /workspace/oauth/connect": settings,
    "GET /workspace/connections/me": connection,
    "PATCH /workspace/connections/me": connection,
    "POST /workspace/connections/me/disconnect": connection,
  };
  return {
    ...mail,
    makers: { ...drive.makers, ...mail.makers },
    values: { next: () => "/settings/account", ...mail.values },
    bodies,
    fixedLists: {
      "GET /workspace/calendar/events":
        "one person's own cached events in a window of days; its own test counts the statements for 3 and for 300",
      "GET /workspace/connections": "one connection of each colleague; its own test counts the statements",
    },
    arranged,
    alone: Object.fromEntries(
      [...Object.keys(bodies), ...Object.keys(arranged)].map((label) => [
        label,
        "the owner has one connection, and each operation needs a different one with its own scopes",
      ]),
    ),
  };
};
export default proofs;
