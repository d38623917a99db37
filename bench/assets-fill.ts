/** Number of rows of each kind in this bench's organisation. */
export const AMOUNTS = { companies: 2_000, contacts: 1_000, domains: 20_000 } as const;

/** The id of row `n` of a kind, identical in every run. */
const id = (kind: string, n: string) => `md5('${kind}' || ${n})::uuid`;
const { companies, contacts, domains } = AMOUNTS;

/** Kinds of providers a domain refers to; nine of each exist. */
const PROVIDERS = ["registrar", "dns", "email"];
const provider = (kind: string) => `case when n % 10 > 0 then ${id(kind, "(n % 10)")} end`;

/**
 * Fills organisation `$1`, owned by account `$2`, with domains whose every column has something to resolve: four TLDs with prices, parties
 * of each type, three providers, nine in ten in a register, by link or only by name. Nothing is random, so that two runs compare.
 */
export const FILL = [
  `insert into companies (id, organisation_id, name) select ${id("company", "n")}, $1, 'Company ' || n
     from generate_series(1, ${companies}) n where $2::uuid is not null`,
  `insert into contacts (id, organisation_id, first_name, last_name, email)
     select ${id("contact", "n")}, $1, 'First' || n, 'Last' || n, 'contact' || n || '@bench.test'
       from generate_series(1, ${contacts}) n where $2::uuid is not null`,
  ...PROVIDERS.map(
    (kind) => `insert into providers (id, organisation_id, kind, name)
     select ${id(kind, "n")}, $1, '${kind}', 'Provider ' || n from generate_series(1, 9) n where $2::uuid is not null`,
  ),
  `insert into tld_prices (id, organisation_id, tld, amount, currency, valid_from)
     select gen_random_uuid(), $1, tld, 9.95 + n, 'EUR', date '2020-01-01' + 365 * n
       from unnest(array['nl', 'com', 'eu', 'org']) tld, generate_series(0, 4) n where $2::uuid is not null`,
  `insert into domains (id, organisation_id, company_id, name, label, tld, status, redirect_url, start_date, next_invoice_date, price_override,
       invoiceable, registrar_provider_id, dns_provider_id, registry_contact_type, registry_contact_id, email_enabled, email_provider_id,
       email_contact_type, email_contact_id, nameservers, dnssec, mx_records, dns_checked_at, created_at, updated_at)
     select ${id("domain", "n")}, $1, ${id("company", `(1 + n % ${companies})`)}, d.name, d.name, d.tld,
            case when n % 20 = 3 then 'redirect' else 'active' end, case when n % 20 = 3 then 'https://elsewhere.test/' || n end,
            date '2018-01-01' + n % 2500, current_date + n % 365, case when n % 50 = 7 then 12.50 end, case when n % 25 = 9 then n % 2 = 0 end,
            ${provider("registrar")}, ${provider("dns")},
            (array['agency', 'company', 'company', 'contact', 'employee'])[1 + n % 5],
            case n % 5 when 3 then ${id("contact", `(1 + n % ${contacts})`)} when 4 then $2::uuid end,
            n % 2 = 0, case when n % 2 = 0 then ${id("email", "(1 + n % 9)")} end,
            case when n % 2 = 0 then 'contact' end, case when n % 2 = 0 then ${id("contact", `(1 + n % ${contacts})`)} end,
            array['ns1.bench.test', 'ns2.bench.test', 'ns3.bench.test'], n % 3 = 0,
            jsonb_build_array(jsonb_build_object('priority', 10, 'exchange', 'mx.bench.test')), now(), now() - n * interval '1 hour', now()
       from generate_series(1, ${domains}) n,
            lateral (select (array['nl', 'com', 'eu', 'org'])[1 + n % 4] as tld) t,
            lateral (select substr(md5(n::text), 1, 8) || '-domain-' || n || '.' || t.tld as name, t.tld) d`,
  `insert into edge_accounts (id, organisation_id, name, api_token, registrations_read_at)
     select ${id("account", "1")}, $1, 'Edge', 'v1.00000000.', now() where $2::uuid is not null`,
  `insert into registrar_accounts (id, organisation_id, name, api_user, api_password, last_synced_at)
     select ${id("account", "2")}, $1, 'Registrar', 'user', 'v1.00000000.', now() where $2::uuid is not null`,
  `insert into edge_registrations (id, organisation_id, account_id, name, domain_id, at_provider, expires_at)
     select gen_random_uuid(), $1, ${id("account", "1")}, d.name, case when d.tld = 'com' then d.id end, d.tld = 'com', now() + interval '90 days'
       from domains d where d.organisation_id = $1 and d.tld in ('com', 'eu') and $2::uuid is not null`,
  `insert into registrar_domains (id, organisation_id, account_id, name, label, sld, tld, domain_id, expires_on, registry_status)
     select gen_random_uuid(), $1, ${id("account", "2")}, d.name, d.label, d.name, d.tld,
            case when get_byte(uuid_send(d.id), 1) % 10 > 0 then d.id end, current_date + 200, 'active'
       from domains d where d.organisation_id = $1 and d.tld <> 'com' and get_byte(uuid_send(d.id), 0) % 10 > 0 and $2::uuid is not null`,
];

/** Sets what triggers would have maintained, once the indexes exist. */
export const KEPT =
  "update domains d set (held_by_edge, held_by_registrar, register_expires_on) = (select r.* from registers_of($1, d.id, d.name) r) where d.organisation_id = $1";
