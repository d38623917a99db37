import type { DefineProofs, Place } from "../../../test/support/fixture/proofs.ts";
import { edgeRows } from "../proofs-accounts.ts";

const CONNECT = "POST /edge/domains/{domain_id}/connect";
const LINK = "POST /edge/zones/{zone_id}/link";
const RECORD = "/edge/zones/{zone_id}/dns/{record_id}";
const PAGES = "POST /edge/domains/{domain_id}/pages";

/** No job runs in these tests, so this ends each sync a moment after its request. */
const END = `update edge_accounts set sync_ended = sync_asked, sync_result = '{"ok": true, "error": null, "zones_synced": 0, "zones_matched": 0,
  "pages_projects_synced": 0, "pages_domains_synced": 0, "pages_links_matched": 0, "pages_links_adopted": 0, "pages_links_missing": 0,
  "registrar_read": false, "registrar_domains_synced": 0, "registrar_domains_at_edge": 0, "registrar_domains_matched": 0, "warnings": []}'
  where sync_asked > sync_ended and sync_asked_at < now() - interval '500 milliseconds'`;
const ending = new WeakSet<Place["sql"]>();
function endSyncs({ sql }: Pick<Place, "sql">): void {
  if (ending.has(sql)) return;
  ending.add(sql);
  const timer = setInterval(() => void sql.query(END).catch(() => clearInterval(timer)), 200).unref();
}

/** Fixtures of accounts, zones, their records and static sites for the generic tests. */
export const zoneProofs: DefineProofs = (tools) => {
  const { edge, insert, next, named, make } = tools;
  const { account, connected } = edgeRows(tools);
  /** A static site of an account, at the simulated provider and in the database. */
  const project = async (place: Place) => {
    const { id: account_id, edge_account_id } = await account(place);
    const { name, subdomain } = edge.state.project(edge_account_id, `site-${next()}`);
    return insert(place, "edge_projects", { account_id, name: `${name}`, subdomain });
  };
  const edgeZoneOf = async (place: Place, zoneId: string | undefined): Promise<string> =>
    (await place.sql.query("select edge_zone_id as id from edge_zones where id = $1", [zoneId])).rows[0].id;
  /** Adds the path's record to the path's zone. */
  const withRecord = async (place: Place, rows: Record<string, string>) => {
    const zone = await edgeZoneOf(place, rows["zone_id"]);
    edge.state.record(zone, { id: rows["record_id"] as string, type: "TXT", name: `${named("x")}.example`, content: "x" });
  };
  const record = async () => ({
    type: "TXT",
    name: `r${next()}.proof.example`,
    content: `"${next()}"`,
    ttl: 300,
    comment: "proof",
  });
  let made = 0;
  return {
    makers: {
      zone_id: { ofCompany: true, make: async (place) => (await connected(place)).zoneId },
      "/edge provider_id": {
        ofCompany: false,
        make: (place) => insert(place, "providers", { kind: "dns", name: named(place.token) }),
      },
      "/edge project_id": { ofCompany: false, make: project },
      "/edge link_id": {
        ofCompany: true,
        async make(place) {
          const [project_id, domain_id] = [await project(place), await make("domain_id", place)];
          return insert(place, "edge_page_links", { project_id, domain_id, hostname: `h${next()}.proof.example` });
        },
      },
    },
    values: { record_id: () => (++made).toString(16).padStart(32, "a") },
    bodies: {
      [CONNECT]: async () => ({}),
      [LINK]: async (place) => ({ domain_id: await unconnected(place) }),
      [PAGES]: async (place) => ({ project_id: await project(place) }),
      "POST /edge/zones/{zone_id}/dns": record,
      [`PATCH ${RECORD}`]: record,
    },
    arranged: {
      [`PATCH ${RECORD}`]: withRecord,
      [`DELETE ${RECORD}`]: withRecord,
      "POST /edge/accounts/{account_id}/sync": async (place) => endSyncs(place),
    },
  };

  /** A domain without a zone. */
  function unconnected(place: Place): Promise<string> {
    const name = `u${next()}.proof.example`;
    return insert(place, "domains", {
      company_id: place.companyId,
      name,
      label: `${named(place.token)} ${name}`,
      start_date: "2026-01-01",
    });
  }
};
