import { seal } from "../../core/database/sealed.ts";
import { SCOPE } from "../../mixins/google/scopes.ts";
import { advertise } from "../../test/simulators/google-ads/advertised.ts";
import type { ModuleProofs, Place, ProofTools } from "../../test/support/fixture/proofs.ts";

/** Shared fixtures of advertising: an account that can be called. */
export interface AccountTools {
  /** Creates an account of the place's client and a grant that can access it. */
  account(place: Place, values?: Record<string, unknown>): Promise<string>;
}

/** Fixtures for accounts and settings; the other fixtures of advertising create their accounts with these. */
export function accountProofs({
  ads,
  google,
  insert,
  named,
  newMember,
  next,
}: ProofTools): ModuleProofs & { tools: AccountTools } {
  /** Creates a connection with the advertising scope, by default for the owner; the developer token comes from the installation. */
  const connected = async (
    { tenant, sql }: Place,
    accountId = tenant.owner.accountId,
  ): Promise<{ connectionId: string; subject: string }> => {
    const { id: organisation } = tenant.organisation;
    const client = google.state.client();
    const settings = { client_id: client.id, client_secret: client.secret, calendar_enabled: true };
    const put = await tenant.owner.put("/workspace/settings", settings);
    if (put.status !== 200) throw new Error(`no settings: ${put.status} ${put.text}`);
    const person = google.state.person(`advertiser${next()}@example.com`);
    const grant = google.state.granted(person, client.id, [SCOPE.ads]);
    const tokens = google.state.tokens(grant, { refresh: true }) as { access_token: string; refresh_token: string };
    const connectionId = crypto.randomUUID();
    const sealed = (column: "access_token" | "refresh_token") =>
      seal(tokens[column], { table: "workspace_connections", column, organisation, row: connectionId });
    await sql.query("delete from workspace_connections where organisation_id = $1 and account_id = $2", [
      organisation,
      accountId,
    ]);
    await sql.query(
      `insert into workspace_connections (id, organisation_id, account_id, subject, client_id, email, scopes, refresh_token, access_token,
          access_expires_at)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, now() + interval '1 hour')`,
      [
        ...[connectionId, organisation, accountId, person.subject, client.id, person.email, [SCOPE.ads]],
        ...[sealed("refresh_token"), sealed("access_token")],
      ],
    );
    return { connectionId, subject: person.subject };
  };
  /** Creates such a connection for every member, because calls use the caller's own grant. */
  const connectedAll = async (place: Place): Promise<void> => {
    const { rows } = await place.sql.query("select account_id from memberships where organisation_id = $1", [
      place.tenant.organisation.id,
    ]);
    for (const { account_id } of rows) await connected(place, account_id);
  };
  const account = async (place: Place, values: Record<string, unknown> = {}): Promise<string> => {
    // Use a new colleague: each person has one connection, so sharing one would replace another account's connection.
    const { connectionId, subject } = await connected(place, (await newMember(place)).accountId);
    const customer = ads.state.customer({ descriptiveName: named(place.token) });
    advertise(customer);
    ads.state.let(subject, customer);
    return insert(place, "ads_accounts", {
      customer_id: customer.id,
      company_id: place.companyId,
      connection_id: connectionId,
      descriptive_name: customer.values.descriptiveName,
      currency_code: "EUR",
      time_zone: "Europe/Amsterdam",
      backfilled_at: "2026-01-01T00:00:00Z",
      ...values,
    });
  };
  const spoken = { customer_id: () => `8${String(next()).padStart(9, "0")}`, login_customer_id: () => "5550001111" };
  return {
    tools: { account },
    makers: { "/ads-platform account_id": { ofCompany: true, make: account } },
    values: {
      ...spoken,
      default_login_customer_id: () => "5550001111",
      currency_code: () => "EUR",
      time_zone: () => "Europe/Amsterdam",
      compare: () => "previous",
      period: () => "30d",
    },
    bodies: {
      "POST /ads-platform/accounts": async (place) => ({
        customer_id: spoken.customer_id(),
        company_id: place.companyId,
        descriptive_name: named(place.token),
        login_customer_id: "5550001111",
        currency_code: "EUR",
        time_zone: "Europe/Amsterdam",
      }),
      "PATCH /ads-platform/accounts/{account_id}": async (place) => ({
        company_id: place.companyId,
        login_customer_id: "5550001111",
        active: true,
      }),
      "PUT /ads-platform/settings": async (place) => ({
        developer_token: named(place.token),
        default_login_customer_id: "5550001111",
        writes_enabled: true,
      }),
    },
    arranged: { "GET /ads-platform/accounts/available": connectedAll },
    alone: { "GET /ads-platform/accounts/available": "the owner has one connection, and every account has a different one" },
    fixedLists: {
      "GET /ads-platform/accounts/available": "what the caller's grant reaches at the provider; a separate test reads it",
    },
  };
}
