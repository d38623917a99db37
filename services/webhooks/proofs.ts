import type { DefineProofs } from "../../test/support/fixture/proofs.ts";

/** A public address without a listener: a documentation address (RFC 5737) would not count as public. */
const ADDRESS = "https://93.184.215.14/hook";

/** Fixtures of webhooks for the generic tests. Only tests load this. */
const proofs: DefineProofs = ({ insert, idOf, named, nobody }) => {
  const endpoint = async ({ tenant, token }: Parameters<typeof insert>[0]) => {
    const values = { name: named(token), url: ADDRESS, events: ["company.created"], enabled: false };
    return idOf(await tenant.owner.post("/webhooks/endpoints", values));
  };
  return {
    makers: {
      endpoint_id: { ofCompany: false, make: endpoint },
      delivery_id: {
        ofCompany: false,
        make: async (place) =>
          insert(place, "webhook_deliveries", {
            endpoint_id: await endpoint(place),
            event_id: (await place.sql.query("select gen_random_uuid() as id")).rows[0].id,
            event: "company.created",
            entity_type: "company",
            entity_id: nobody(),
            payload: {},
          }),
      },
    },
    values: { "/webhooks url": () => ADDRESS, "/webhooks events": () => ["company.created"] },
    lists: {
      webhook_endpoints: {
        statements: [
          `insert into webhook_endpoints (id, organisation_id, name, url, events, secret, created_at, updated_at)
          select md5('endpoint ' || $1::text || s.n)::uuid, $1::uuid, 'Endpoint ' || s.n, '${ADDRESS}', '{company.created}', 'v1.00000000.0',
                 timestamptz '2020-01-01' + s.n * interval '7 min', timestamptz '2021-01-01' + (s.n * 7919 % $2) * interval '7 min'
            from generate_series(1, $2::int) s(n)`,
        ],
        filters: {},
        common: "endpoint",
        rare: "zeldzaam",
        excepted: { created_at: "an organisation has few endpoints, so this order needs no index" },
      },
      webhook_deliveries: {
        statements: [
          // Each of fifty endpoints has one fiftieth of the deliveries; one delivery in five hundred is pending.
          `insert into webhook_deliveries (id, organisation_id, endpoint_id, event_id, event, entity_type, entity_id, payload, status,
              next_attempt_at, created_at, updated_at)
          select md5('delivery ' || $1::text || s.n)::uuid, $1::uuid, md5('endpoint ' || $1::text || (1 + s.n % 50))::uuid, gen_random_uuid(),
                 'company.created', 'company', gen_random_uuid(), '{}', case s.n % 500 when 0 then 'pending' else 'delivered' end,
                 case s.n % 500 when 0 then now() end,
                 timestamptz '2020-01-01' + s.n * interval '7 min', timestamptz '2021-01-01' + (s.n * 7919 % $2) * interval '7 min'
            from generate_series(1, $2::int) s(n)`,
        ],
        filters: { endpoint_id: nobody(), status: "pending", event: "company.created" },
        common: "delivery",
        rare: "zeldzaam",
        excepted: {},
      },
    },
    fixedLists: { "GET /webhooks/events": "one entry per type of event, not per row" },
  };
};
export default proofs;
