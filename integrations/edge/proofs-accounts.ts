import { randomBytes } from "node:crypto";
import type { SimulatedZone } from "../../test/simulators/edge/state.ts";
import type { Place, ProofTools } from "../../test/support/fixture/proofs.ts";

/** A domain with a zone in its own account, at the simulated provider and in the database. */
export interface ConnectedRow {
  domainId: string;
  name: string;
  accountId: string;
  zoneId: string;
  zone: SimulatedZone;
}

/** Creates accounts, and domains connected to a zone, for the generic tests. */
export function edgeRows({ edge, insert, named, next, idOf }: ProofTools) {
  const newToken = () => randomBytes(20).toString("hex");
  /** Accounts belong to no client, so an account's name includes the token only where a test passes one. */
  async function account(place: Place, name = `edge ${next()}-${randomBytes(3).toString("hex")}`) {
    const { id: edge_account_id } = edge.state.account();
    const { owner } = place.tenant;
    const body = { name, api_token: newToken(), edge_account_id };
    return { edge_account_id, id: idOf(await owner.post("/edge/accounts", body)) };
  }
  async function connected(place: Place): Promise<ConnectedRow> {
    const { edge_account_id, id: accountId } = await account(place);
    const name = `rand${next()}.example`;
    const domain = { company_id: place.companyId, name, label: named(place.token), tld: "example", start_date: "2024-02-29" };
    const domainId = await insert(place, "domains", domain);
    const zone = edge.state.zone(edge_account_id, name);
    const row = { account_id: accountId, edge_zone_id: zone.id, name, status: "active", domain_id: domainId };
    return { domainId, name, accountId, zoneId: await insert(place, "edge_zones", row), zone };
  }
  return { newToken, account, connected };
}
