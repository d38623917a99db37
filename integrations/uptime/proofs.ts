import { randomUUID } from "node:crypto";
import { seal } from "../../core/database/sealed.ts";
import type { DefineProofs, Place } from "../../test/support/fixture/proofs.ts";

const NO_SERVER = "the fixture service has no managed uptime server (workspace-reporting §5, Instance)";

/** Fixtures for monitors. Their servers are linked, so nothing is written outside. */
const proofs: DefineProofs = ({ next, insert, named, idOf, make }) => {
  const instance = async ({ tenant, token }: Place): Promise<string> =>
    idOf(await tenant.owner.post("/uptime/instances", { name: named(token), mode: "linked" }));
  /** A server with all sealed columns filled, as after a login. */
  const enrolled = async (place: Place): Promise<string> => {
    const row = await instance(place);
    const { id: organisation } = place.tenant.organisation;
    const sealed = (column: string, text: string) => seal(text, { table: "uptime_instances", column, organisation, row });
    const values = [row, sealed("token", "a token"), sealed("connect_headers", "{}")];
    await place.sql.query("update uptime_instances set token = $2, connect_headers = $3 where id = $1", values);
    return row;
  };
  /** A place whose name reveals no client, for records without one. */
  const unnamed = (place: Place): Place => ({ ...place, token: "server" });
  const profile = (place: Place) => insert(place, "uptime_profiles", { name: named(place.token) });
  const monitorAt = (place: Place, instance_id: string, values: Record<string, unknown> = {}) =>
    insert(place, "uptime_monitors", {
      instance_id,
      remote_id: next(),
      name: named(place.token),
      monitor_type: "http",
      target: `https://m${next()}.example/`,
      company_id: place.companyId,
      company_given: true,
      sync_status: "active",
      adopted: true,
      ...values,
    });
  const watched = async (place: Place, instance_id: string) => ({
    interval_seconds: 120,
    retries: 2,
    parent_id: await monitorAt(place, instance_id, { monitor_type: "group", target: null }),
    profile_id: await profile(unnamed(place)),
    company_id: place.companyId,
  });
  return {
    makers: {
      "/uptime instance_id": { ofCompany: false, make: enrolled },
      "/uptime profile_id": { ofCompany: false, make: profile },
      uptime_monitor_id: {
        ofCompany: true,
        make: async (place) => monitorAt(place, await instance(unnamed(place))),
      },
      "/uptime monitor_id": {
        ofCompany: true,
        make: async (place) => {
          const id = await monitorAt(place, await instance(unnamed(place)));
          await insert(place, "uptime_heartbeats", { monitor_id: id, status: "up", at: "2026-03-02T10:00:00Z", ping_ms: 12 });
          return id;
        },
      },
      "/uptime parent_id": {
        ofCompany: true,
        make: async (place) =>
          monitorAt(place, await instance(unnamed(place)), { monitor_type: "group", target: null, host_names: [] }),
      },
      "/uptime entity_id": { ofCompany: true, make: (place) => make("website_id", place) },
    },
    values: {
      "/uptime name": () => `Monitor ${next()}`,
      "/uptime monitor_type": () => "http",
      "/uptime target": () => `https://m${next()}.example/`,
      "/uptime entity_type": () => "website",
      "/uptime token": () => `${randomUUID()}.${randomUUID()}.${"a".repeat(32)}`,
      "/uptime base_url": () => "https://9.9.9.9/kuma",
      "/uptime mode": () => "linked",
      "/uptime accepted_statuses": () => ["200-299"],
      "/uptime connect_headers": () => ({ "X-Gate": "open" }),
    },
    bodies: {
      "POST /uptime/monitors": async (place) => {
        const instance_id = await instance(unnamed(place));
        return {
          instance_id,
          remote_id: next(),
          name: named(place.token),
          monitor_type: "http",
          target: `https://m${next()}.example/`,
          entity_type: "website",
          entity_id: await make("website_id", place),
          ...(await watched(place, instance_id)),
        };
      },
      "PATCH /uptime/monitors/{monitor_id}": async (place) => ({
        name: named(place.token),
        monitor_type: "http",
        target: `https://m${next()}.example/`,
        interval_seconds: 120,
        retries: 2,
        profile_id: await profile(unnamed(place)),
        company_id: place.companyId,
      }),
      "PUT /uptime/monitors/{monitor_id}/link": async (place) => ({
        entity_type: "website",
        entity_id: await make("website_id", place),
      }),
    },
    fixedLists: {
      "GET /uptime/links/proposals": "unlinked monitors with a client's domain; its own test counts the statements",
      "GET /uptime/monitors/{monitor_id}/heartbeats": "rows of one monitor; a separate test counts the statements",
    },
    absent: {
      "POST /uptime/instances/{instance_id}/enrol": NO_SERVER,
      "POST /uptime/instances/{instance_id}/sync": NO_SERVER,
      "POST /uptime/monitors/{monitor_id}/pause": NO_SERVER,
      "POST /uptime/monitors/{monitor_id}/resume": NO_SERVER,
      "POST /uptime/monitors/{monitor_id}/push": NO_SERVER,
    },
  };
};
export default proofs;
