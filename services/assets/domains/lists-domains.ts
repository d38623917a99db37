import type { DefineReferences } from "../../../test/support/lists/answers.ts";

/** Expected results of the list of domains. The client and provider in its filters have the id of the owner's account. */
export const domainReferences: DefineReferences = (tools) => {
  const { odd, words, long, beginning, moment, creation, insert, text, both, companiesOf, companyIds } = tools;
  const provider = (reference: string) =>
    text(`(select p.name from providers p where p.organisation_id = t.organisation_id and p.id = t.${reference})`);
  const listed = (by: string) => `exists (select 1 from registrar_domains r where r.organisation_id = t.organisation_id
    and r.registry_status <> 'gone' and ${by})`;
  const isHeld = `(${listed("r.domain_id = t.id")} or ${listed("r.name = t.name")})`;
  return [
    {
      path: "/domains",
      table: "domains",
      async fill(sql, organisation, { owner }, rows, seeded) {
        const { random, pick } = seeded;
        const named = owner.accountId;
        const companies = await companyIds(sql, organisation);
        const { rows: providers } = await sql.query<{ id: string }>(
          `insert into providers (id, organisation_id, kind, name)
           select case n when 1 then $2::uuid else gen_random_uuid() end, $1, (array['dns', 'registrar'])[1 + n % 2], 'Provider ' || n % 7
             from generate_series(1, 10) n returning id`,
          [organisation, named],
        );
        const day = (from: number) => new Date(Date.UTC(2022, 0, from + Math.floor(random() * 500))).toISOString().slice(0, 10);
        const made = Array.from({ length: rows }, (_, n) => {
          // The index behind the sort by name cannot hold longer entries.
          const label = `${beginning(seeded)} ${words(seeded)}${random() < 0.2 ? pick(odd) : random() < 0.05 ? long(seeded, 600) : ""}`;
          return {
            label,
            name: `xn--${n}.example`,
            tld: "example",
            company_id: random() < 0.05 ? named : pick(companies),
            status: pick(["active", "active", "redirect", "parked", "expired", "inactive"]),
            start_date: day(1),
            next_invoice_date: random() < 0.7 ? day(31) : null,
            invoiceable: random() < 0.3 ? random() < 0.5 : null,
            dnssec: random() < 0.6 ? random() < 0.5 : null,
            email_enabled: random() < 0.3,
            registrar_provider_id: random() < 0.7 ? pick(providers).id : null,
            dns_provider_id: random() < 0.7 ? pick(providers).id : null,
            created_at: creation(seeded),
            updated_at: moment(seeded),
          };
        });
        const types =
          "label text, name text, tld text, company_id uuid, status text, start_date date, next_invoice_date date, invoiceable boolean, dnssec boolean, email_enabled boolean, registrar_provider_id uuid, dns_provider_id uuid, created_at timestamptz, updated_at timestamptz";
        await insert(sql, "domains", types, made, organisation);
        await sql.query(
          `with a as (insert into registrar_accounts (id, organisation_id, name, api_user, api_password, last_synced_at)
              values (gen_random_uuid(), $1, 'Own', 'user', 'v1.00000000.', now()) returning id)
           insert into registrar_domains (id, organisation_id, account_id, name, label, sld, tld, domain_id, registry_status)
           select gen_random_uuid(), $1, a.id, d.name, d.name, d.name, d.tld, case when get_byte(uuid_send(d.id), 10) % 2 = 0 then d.id end,
                  (array['active', 'gone'])[1 + get_byte(uuid_send(d.id), 11) % 2]
             from a, domains d where d.organisation_id = $1 and get_byte(uuid_send(d.id), 12) % 2 = 0`,
          [organisation],
        );
        // Triggers normally keep this column.
        await sql.query(
          `with r as materialized (select name, domain_id from registrar_domains where organisation_id = $1 and registry_status = 'active')
           update domains d set held_by_registrar = true where d.organisation_id = $1
              and (d.name in (select name from r) or d.id in (select domain_id from r where domain_id is not null))`,
          [organisation],
        );
      },
      fields: ["t.label", "t.name"],
      terms: [..."alfa,gamma,delta,epsilon,verweg,nergens,é,qz,%,_,\\,xn--7".split(","), ...odd.slice(2, 6)],
      orders: () => ({
        ...both(
          {
            company: text("(select c.name from companies c where c.organisation_id = t.organisation_id and c.id = t.company_id)"),
            status: text("t.status"),
            registrar: provider("registrar_provider_id"),
            dns: provider("dns_provider_id"),
            dnssec: "t.dnssec",
            email_enabled: "t.email_enabled",
            start_date: "t.start_date",
            next_invoice_date: "t.next_invoice_date",
            created_at: "t.created_at",
            updated_at: "t.updated_at",
          },
          `${text("t.label")}, t.id`,
          ["registrar", "dns", "dnssec", "next_invoice_date"],
        ),
        name: `${text("t.label")}, t.id`,
        "-name": `${text("t.label")} desc, t.id desc`,
      }),
      filters: ({ owner }) => [
        ["&status=parked", "t.status = 'parked'"],
        ["&status=unheard", "false"],
        ["&invoiceable=true", `coalesce(t.invoiceable, ${isHeld})`],
        ["&invoiceable=false", `not coalesce(t.invoiceable, ${isHeld})`],
        [`&company_id=${owner.accountId}`, `t.company_id = '${owner.accountId}'`],
        [`&registrar_provider_id=${owner.accountId}`, `t.registrar_provider_id = '${owner.accountId}'`],
        [`&dns_provider_id=${owner.accountId}`, `t.dns_provider_id = '${owner.accountId}'`],
      ],
      visible: (membership) => `t.company_id in (${companiesOf(membership)})`,
    },
  ];
};
