import type { DefineProofs, Place } from "../../test/support/fixture/proofs.ts";

/** Fixtures of clients for the generic tests. Only tests load them. */
const proofs: DefineProofs = ({ next, named, nobody, insert, picture }) => {
  const newType = (place: Place) => insert(place, "contact_types", { key: `type_${next()}` });
  // The service re-encodes and stores the picture.
  const withLogo = async ({ tenant }: Place, { company_id: id }: Record<string, string>) => {
    const { body, headers } = picture();
    await tenant.owner.post(`/companies/${id}/logo`, body, { headers });
  };
  return {
    makers: {
      company_id: {
        ofCompany: true,
        async make(place) {
          const id = await insert(place, "companies", { name: named(place.token) });
          await place.sql.query(
            "insert into company_assignees (organisation_id, company_id, account_id, is_primary) values ($1, $2, $3, true)",
            [place.tenant.organisation.id, id, place.tenant.owner.accountId],
          );
          return id;
        },
      },
      contact_id: {
        ofCompany: true,
        async make(place) {
          const id = await insert(place, "contacts", { first_name: named(place.token) });
          await place.sql.query(
            `insert into contact_links (organisation_id, contact_id, company_id, is_primary)
           select $1, $2, $3, not exists (select 1 from contact_links where organisation_id = $1 and company_id = $3 and is_primary)`,
            [place.tenant.organisation.id, id, place.companyId],
          );
          return id;
        },
      },
      type_id: { ofCompany: false, make: newType },
      contact_type_id: { ofCompany: false, make: newType },
      group_id: { ofCompany: false, make: (place) => insert(place, "company_groups", { name: named(place.token) }) },
      // The record whose files or trail the request reads.
      entity_id: { ofCompany: true, make: async ({ companyId }) => companyId },
    },
    values: {
      client_number: () => `T-${next()}`,
      client_number_format: () => "{seq:4}",
      invoice_email: () => "invoices@example.com",
    },
    arranged: {
      "GET /companies/{company_id}/logo": withLogo,
      "DELETE /companies/{company_id}/logo": withLogo,
    },
    fixedLists: {
      "GET /activity": "lines of one record, as many as were written about it",
      "GET /companies/{company_id}/panels": "one entry per module, not per row",
      "GET /companies/{company_id}/summary": "one entry per module, not per row",
    },
    lists: {
      companies: {
        statements: [
          `insert into companies (id, organisation_id, name, client_number, website, status, created_at, updated_at)
          select md5('company ' || $2 || ' ' || n)::uuid, $1, (array['Bakkerij','Garage','Atelier','Hotel','Zaal'])[1 + n % 5] || ' Company ' || md5(n::text) ||
                 case when n = 4711 then ' Zeldzaam' else '' end, case when n % 10 > 0 then 'C-' || n end, 'www.company' || n || '.example',
                 (array['lead','onboarding','active','active','active','active','offboarding','archived'])[1 + n % 8],
                 timestamptz '2020-01-01' + n * interval '7 min', timestamptz '2021-01-01' + (n * 7919 % $2) * interval '7 min'
            from generate_series(1, $2::int) n`,
          `insert into company_assignees (organisation_id, company_id, account_id, is_primary)
          select organisation_id, id, case when row_number() over () % 500 = 0 then $3 else (select id from accounts where id <> $3 limit 1) end, true
            from companies where organisation_id = $1`,
          `insert into company_groups (id, organisation_id, name, position) select gen_random_uuid(), $1, 'Group ' || n, case n when 1 then 5000 else 50 end
           from generate_series(1, 200) n`,
          `insert into company_group_companies (organisation_id, group_id, company_id)
          select $1, g.id, c.id from company_groups g, lateral (select id from companies where organisation_id = $1 order by id limit g.position) c
           where g.organisation_id = $1`,
        ],
        filters: { status: ["lead", "archived"], mine: "$account" },
        common: "company",
        rare: "zeldzaam",
        excepted: { assignee: "the name of a person is in another table (clients chapter §3.5)" },
      },
      contacts: {
        statements: [
          `insert into contact_types (id, organisation_id, key) select gen_random_uuid(), $1, 'type_' || n
           from generate_series(1, 200) n`,
          `insert into contacts (id, organisation_id, first_name, last_name, email, job_title, created_at, updated_at)
          select md5('contact ' || $2 || ' ' || n)::uuid, $1, (array['Anna','Bram','Chris','Daan','Eva'])[1 + n % 5], 'Contact ' || md5(n::text) ||
                 case when n = 4711 then ' Zeldzaam' else '' end, case when n % 10 > 0 then 'contact' || n || '@example.com' end,
                 (array['Directeur','Inkoper','Receptie'])[1 + n % 4], timestamptz '2020-01-01' + n * interval '7 min',
                 timestamptz '2021-01-01' + (n * 7919 % $2) * interval '7 min'
            from generate_series(1, $2::int) n`,
          `with c as (select id, row_number() over (order by id) n from contacts where organisation_id = $1),
              o as (select id, row_number() over (order by id) n from companies where organisation_id = $1),
              k as (select id, row_number() over (order by id) - 1 n from contact_types where organisation_id = $1)
          insert into contact_links (organisation_id, contact_id, company_id, contact_type_id, is_primary)
          select $1, c.id, o.id, k.id, true from c join o using (n) left join k on k.n = c.n % 250
           where c.n % 10 > 0`,
        ],
        filters: { company_id: nobody(), contact_type_id: nobody(), link: [nobody(), nobody()], linked: true },
        common: "contact",
        rare: "zeldzaam",
        excepted: { company: "the name of a company is in another table (clients chapter §4.4)" },
      },
    },
  };
};
export default proofs;
