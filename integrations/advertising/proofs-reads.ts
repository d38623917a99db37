import { randomUUID } from "node:crypto";
import { seal } from "../../core/database/sealed.ts";
import { SCOPE } from "../../mixins/google/scopes.ts";
import type { ModuleProofs, Place, ProofTools } from "../../test/support/fixture/proofs.ts";

/** A colleague's grant with advertising, and an account at the provider that it reaches. @returns the connection and the customer id */
export async function reachedCustomer({ google, ads, newMember, next }: ProofTools, place: Place) {
  const { accountId } = await newMember(place);
  const { id: clientId } = google.state.client();
  const person = google.state.person(`advertiser${next()}@example.com`);
  const tokens = google.state.tokens(google.state.granted(person, clientId, ["openid", SCOPE.ads]), { refresh: true });
  const { access_token, refresh_token } = tokens as { access_token: string; refresh_token: string };
  const [connectionId, { id: organisation }] = [randomUUID(), place.tenant.organisation];
  const sealed = (column: string, token: string) =>
    seal(token, { table: "workspace_connections", column, organisation, row: connectionId });
  await place.sql.query(
    `insert into workspace_connections (id, organisation_id, account_id, subject, client_id, email, scopes, refresh_token, access_token,
       access_expires_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, now() + interval '50 minutes')`,
    [
      ...[connectionId, organisation, accountId, person.subject, clientId, person.email, ["openid", SCOPE.ads]],
      ...[sealed("refresh_token", refresh_token), sealed("access_token", access_token)],
    ],
  );
  const customer = ads.state.customer();
  ads.state.let(person.subject, customer);
  return { connectionId, customerId: customer.id };
}

/** What the generic proofs need to know of the reads of an account. */
export const readProofs = (_tools: ProofTools): ModuleProofs => ({
  values: { "/ads-platform period": () => "7d" },
  bodies: {
    "POST /ads-platform/accounts/{account_id}/query": async () => ({ query: "SELECT campaign.id FROM campaign" }),
    "POST /ads-platform/accounts/{account_id}/keyword-ideas": async () => ({ keywords: ["bread"] }),
  },
});
