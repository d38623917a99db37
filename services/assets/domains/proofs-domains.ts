import type { DefineProofs, Place } from "../../../test/support/fixture/proofs.ts";

/** Fixtures of domains and their prices for the generic tests. */
export const domainProofs: DefineProofs = ({ insert, named, next, make }) => {
  const provider = (kind: string) => ({
    ofCompany: false,
    make: (place: Place) => insert(place, "providers", { kind, name: named(place.token) }),
  });
  const written = async (place: Place) => ({
    name: `domein${next()}.example`,
    company_id: place.companyId,
    status: "parked",
    redirect_url: "https://elders.example/pad",
    start_date: "2024-02-29",
    next_invoice_date: "2035-03-01",
    price_override: "18.40",
    invoiceable: true,
    auto_invoice_mode: "draft",
    registrar_provider_id: await make("registrar_provider_id", place),
    dns_provider_id: await make("dns_provider_id", place),
    registry_contact: { type: "company", id: place.companyId },
    email_enabled: true,
    email_provider_id: await make("email_provider_id", place),
    email_contact: { type: "agency" },
    custom: {},
  });
  const raised = async (place: Place) => {
    const tld = `tld${next()}`;
    await insert(place, "tld_prices", { tld, amount: 9.95, currency: "EUR", valid_from: "2026-01-01" });
    return { tld, mode: "percent", value: 5, valid_from: "2036-03-01" };
  };
  return {
    makers: {
      domain_id: {
        ofCompany: true,
        async make(place) {
          const name = `domein${next()}.example`;
          return insert(place, "domains", {
            company_id: place.companyId,
            name,
            label: named(place.token),
            tld: "example",
            start_date: "2024-02-29",
          });
        },
      },
      price_id: {
        ofCompany: false,
        make: (place) =>
          insert(place, "tld_prices", { tld: `tld${next()}`, amount: 9.95, currency: "EUR", valid_from: "2026-01-01" }),
      },
      registrar_provider_id: provider("registrar"),
      dns_provider_id: provider("dns"),
      email_provider_id: provider("email"),
    },
    values: {
      "/domains name": () => `domein${next()}.example`,
      tld: () => `tld${next()}`,
      redirect_url: () => "https://elders.example/pad",
    },
    bodies: {
      "POST /domains": written,
      "PATCH /domains/{domain_id}": written,
      "POST /domains/tld-prices/price-increase": raised,
      "POST /domains/tld-prices/price-increase/preview": raised,
    },
    lists: {
      domains: {
        statements: [
          // For 200 clients.
          `insert into domains (id, organisation_id, company_id, name, label, tld, status, start_date, next_invoice_date, dnssec,
              email_enabled, invoiceable, held_by_edge, held_by_registrar, created_at, updated_at)
            select md5('domain ' || $2 || ' ' || s.n)::uuid, $1, md5('company ' || $2 || ' ' || 1 + s.n % 200)::uuid, d.name || '.' || d.tld,
                   d.name || '.' || d.tld, d.tld, (array['active','active','active','redirect','parked','expired','inactive'])[1 + s.n % 7],
                   date '2020-01-01' + s.n % 2000, case when s.n % 9 > 0 then date '2021-01-01' + s.n % 2000 end,
                   (array[true, false, null])[1 + s.n % 3], s.n % 4 = 0, (array[true, false, null, null])[1 + s.n % 4], d.tld = 'com', d.tld = 'nl',
                   timestamptz '2020-01-01' + s.n * interval '7 min', timestamptz '2021-01-01' + (s.n * 7919 % $2) * interval '7 min'
              from generate_series(1, $2::int) s(n)
             cross join lateral (select (array['winkel','bakker','garage','atelier','praktijk'])[1 + s.n % 5] || '-domein-' ||
                  md5(s.n::text) || case when s.n = 4711 then '-zeldzaam' else '' end as name,
                (array['nl','com','eu','example'])[1 + s.n % 4] as tld) d`,
          `insert into tld_prices (id, organisation_id, tld, amount, currency, valid_from)
            select gen_random_uuid(), $1, t.tld, 9.95, 'EUR', date '2020-01-01' from unnest(array['nl','com','eu']) t(tld)`,
          // Providers, prices, registers and members of other organisations, which do not exist.
          `with p as (insert into providers (id, organisation_id, kind, name)
              select gen_random_uuid(), md5(n::text)::uuid, 'dns', 'Provider ' || n from generate_series(1, 10000) n),
             m as (insert into memberships (id, organisation_id, account_id)
              select gen_random_uuid(), md5(n::text)::uuid, md5('account ' || n)::uuid from generate_series(1, 10000) n
              on conflict do nothing),
             t as (insert into tld_prices (id, organisation_id, tld, amount, currency, valid_from)
              select gen_random_uuid(), md5(n::text)::uuid, 'nl', 9.95, 'EUR', date '2020-01-01' from generate_series(1, 10000) n
              on conflict do nothing),
             e as (insert into edge_accounts (id, organisation_id, name, api_token)
              select md5('edge ' || n)::uuid, md5(n::text)::uuid, 'Account ' || n, 'v1.00000000.' from generate_series(1, 10000) n
              on conflict do nothing)
            insert into registrar_accounts (id, organisation_id, name, api_user, api_password)
              select md5('registrar ' || n)::uuid, md5(n::text)::uuid, 'Account ' || n, 'user', 'v1.00000000.'
                from generate_series(1, 10000) n on conflict do nothing`,
          // Every other domain is in a register.
          `with a as (insert into registrar_accounts (id, organisation_id, name, api_user, api_password, last_synced_at)
              values (md5('registrar of ' || $1::uuid || $2)::uuid, $1::uuid, 'Own', 'user', 'v1.00000000.', now()) returning id),
             g as (insert into edge_registrations (id, organisation_id, account_id, name, domain_id, at_provider)
              select gen_random_uuid(), d.organisation_id, gen_random_uuid(), d.name, d.id, true from domains d
               where d.organisation_id = $1::uuid and d.tld = 'com')
            insert into registrar_domains (id, organisation_id, account_id, name, label, sld, tld, domain_id)
              select gen_random_uuid(), d.organisation_id, a.id, d.name, d.name, d.name, d.tld, d.id from a, domains d
               where d.organisation_id = $1::uuid and d.tld = 'nl'`,
        ],
        filters: {
          company_id: "00000000-0000-4000-8000-000000000000",
          status: "parked",
          registrar_provider_id: "00000000-0000-4000-8000-000000000000",
          dns_provider_id: "00000000-0000-4000-8000-000000000000",
          invoiceable: false,
        },
        common: "domein",
        rare: "zeldzaam",
        excepted: {
          company: "the name of a client is in another table (assets §2.7)",
          registrar: "the name of a provider is in another table (assets §2.7)",
          dns: "the name of a provider is in another table (assets §2.7)",
          status: "of five words; an index would slow every write",
          dnssec: "of two values, which an index would make every write pay for",
          email_enabled: "of two values, which an index would make every write pay for",
        },
      },
    },
  };
};
