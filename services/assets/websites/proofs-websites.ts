import type { DefineProofs, Place } from "../../../test/support/fixture/proofs.ts";

/** Fixtures of websites, hosting and providers for the generic tests. */
export const websiteProofs: DefineProofs = ({ insert, named, nobody, make }) => {
  const provider = (place: Place) => insert(place, "providers", { kind: "hosting", name: named(place.token) });
  const hosted = async (place: Place) => ({
    name: named(place.token),
    company_id: place.companyId,
    provider_id: await provider(place),
    ip_address: "192.0.2.1",
    contact: { type: "company", id: place.companyId },
    custom: {},
  });
  const site = async (place: Place) => ({
    root: false,
    hosting_id: await make("hosting_id", place),
    technical_owner: { type: "company", id: place.companyId },
    uptime_enabled: true,
    custom: {},
  });
  return {
    makers: {
      provider_id: { ofCompany: false, make: provider },
      hosting_id: {
        ofCompany: true,
        make: (place) => insert(place, "hostings", { name: named(place.token), company_id: place.companyId }),
      },
      website_id: {
        ofCompany: true,
        make: async (place) => insert(place, "websites", { domain_id: await make("domain_id", place) }),
      },
    },
    bodies: {
      "POST /hosting": hosted,
      "PATCH /hosting/{hosting_id}": hosted,
      "POST /websites": async (place) => ({ domain_id: await make("domain_id", place), ...(await site(place)) }),
      "PATCH /websites/{website_id}": site,
    },
    lists: {
      hostings: {
        statements: [
          // For the first 200 clients; one in ten has no client.
          `insert into hostings (id, organisation_id, company_id, name, ip_address, created_at, updated_at)
          select md5('hosting ' || $2 || ' ' || s.n)::uuid, $1, case when s.n % 10 > 0 then c.ids[1 + s.n % cardinality(c.ids)] end,
                 (array['web','db','mail','cache','backup'])[1 + s.n % 5] || ' server ' || md5(s.n::text) ||
                 case when s.n = 4711 then ' Zeldzaam' else '' end, case when s.n % 8 > 0 then '10.0.' || s.n % 250 || '.' || s.n % 251 end,
                 timestamptz '2020-01-01' + s.n * interval '7 min', timestamptz '2021-01-01' + (s.n * 7919 % $2) * interval '7 min'
            from generate_series(1, $2::int) s(n),
                 (select array(select id from companies where organisation_id = $1 order by id limit 200) as ids) c`,
          // Providers of other organisations, which do not exist.
          `insert into providers (id, organisation_id, kind, name)
          select gen_random_uuid(), md5('hosting ' || n)::uuid, 'hosting', 'Provider ' || n from generate_series(1, 10000) n`,
        ],
        filters: { company_id: nobody() },
        common: "server",
        rare: "zeldzaam",
        excepted: {},
      },
      websites: {
        statements: [
          // One per domain, nine in ten of them on the first 5,000 hostings.
          `with h as (select array(select id from hostings where organisation_id = $1 order by id limit 5000) as ids),
              d as (select id, company_id, search_text, created_at, updated_at, row_number() over (order by id) as n from domains where organisation_id = $1)
          insert into websites (id, organisation_id, domain_id, company_id, search_text, root, hosting_id, uptime_enabled, created_at, updated_at)
          select gen_random_uuid(), $1, d.id, d.company_id, d.search_text, d.n % 3 > 0, case when d.n % 10 > 0 then h.ids[1 + d.n % cardinality(h.ids)] end,
                 d.n % 4 = 0, d.created_at, d.updated_at from d, h`,
          // A monitor for every second website.
          `insert into uptime_instances (id, organisation_id, name, mode, hook_secret)
          select md5('uptime ' || $1::uuid)::uuid, $1::uuid, 'Uptime', 'linked', 'v1.00000000.none'`,
          `insert into uptime_monitors (id, organisation_id, instance_id, remote_id, name, monitor_type, website_id, company_id, last_status)
          select gen_random_uuid(), $1::uuid, md5('uptime ' || $1::uuid)::uuid, w.n, 'Monitor ' || w.n, 'http', w.id, w.company_id, 'up'
            from (select id, company_id, row_number() over (order by id) as n from websites where organisation_id = $1) w where w.n % 2 = 0`,
        ],
        filters: { domain_id: nobody(), company_id: nobody(), hosting_id: nobody(), uptime_enabled: true },
        common: "domein",
        rare: "zeldzaam",
        excepted: {
          name: "the name of a domain is in another table (assets §4)",
          company: "the name of a client is in another table (assets §4)",
          hosting: "the name of hosting is in another table (assets §4)",
        },
      },
    },
  };
};
