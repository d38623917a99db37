import { nobody } from "./fixture-makers.ts";

/** A list's rows, by table: how one organisation gets many, and what to ask of its filters and search. */
export interface Filler {
  /** Fills organisation `$1` with `$2` rows for the account `$3`, one statement each. */
  statements: string[];
  filters: Record<string, unknown>;
  common: string;
  rare: string;
  /** Sorts that cannot come from an index of the table, each with the reason. */
  excepted: Record<string, string>;
}

/** A module with a new list adds its table here; without it the test fails. */
export const FILLERS: Record<string, Filler> = {
  companies: {
    statements: [
      `insert into companies (id, organisation_id, name, client_number, website, status, created_at, updated_at)
        select gen_random_uuid(), $1, (array['Bakkerij','Garage','Atelier','Hotel','Zaal'])[1 + n % 5] || ' Company ' || md5(n::text) ||
               case when n = 4711 then ' Zeldzaam' else '' end, case when n % 10 > 0 then 'C-' || n end, 'www.company' || n || '.example',
               (array['lead','onboarding','active','active','active','active','offboarding','archived'])[1 + n % 8],
               timestamptz '2020-01-01' + n * interval '7 min', timestamptz '2021-01-01' + (n * 7919 % $2) * interval '7 min'
          from generate_series(1, $2::int) n where $3::uuid is not null`,
      `insert into company_assignees (organisation_id, company_id, account_id, is_primary)
        select organisation_id, id, case when row_number() over () % 500 = 0 then $3 else (select id from accounts where id <> $3 limit 1) end, true
          from companies where organisation_id = $1 and $2::int > 0`,
      `insert into company_groups (id, organisation_id, name, position) select gen_random_uuid(), $1, 'Group ' || n, case n when 1 then 5000 else 50 end
         from generate_series(1, 200) n where $2::int > 0 and $3::uuid is not null`,
      `insert into company_group_companies (organisation_id, group_id, company_id)
        select $1, g.id, c.id from company_groups g, lateral (select id from companies where organisation_id = $1 order by id limit g.position) c
         where g.organisation_id = $1 and $2::int > 0 and $3::uuid is not null`,
    ],
    filters: { status: ["lead", "archived"], mine: "$account" },
    common: "company",
    rare: "zeldzaam",
    excepted: { assignee: "the name of a person stands in another table (clients chapter §3.5)" },
  },
  contacts: {
    statements: [
      `insert into contact_types (id, organisation_id, key) select gen_random_uuid(), $1, 'type_' || n
         from generate_series(1, 200) n where $2::int > 0 and $3::uuid is not null`,
      `insert into contacts (id, organisation_id, first_name, last_name, email, job_title, created_at, updated_at)
        select gen_random_uuid(), $1, (array['Anna','Bram','Chris','Daan','Eva'])[1 + n % 5], 'Contact ' || md5(n::text) ||
               case when n = 4711 then ' Zeldzaam' else '' end, case when n % 10 > 0 then 'contact' || n || '@example.com' end,
               (array['Directeur','Inkoper','Receptie'])[1 + n % 4], timestamptz '2020-01-01' + n * interval '7 min',
               timestamptz '2021-01-01' + (n * 7919 % $2) * interval '7 min'
          from generate_series(1, $2::int) n where $3::uuid is not null`,
      `with c as (select id, row_number() over (order by id) n from contacts where organisation_id = $1),
            o as (select id, row_number() over (order by id) n from companies where organisation_id = $1),
            k as (select id, row_number() over (order by id) - 1 n from contact_types where organisation_id = $1)
        insert into contact_links (organisation_id, contact_id, company_id, contact_type_id, is_primary)
        select $1, c.id, o.id, k.id, true from c join o using (n) left join k on k.n = c.n % 250
         where c.n % 10 > 0 and $2::int > 0 and $3::uuid is not null`,
    ],
    filters: { company_id: nobody(), contact_type_id: nobody(), link: [nobody(), nobody()], linked: true },
    common: "contact",
    rare: "zeldzaam",
    excepted: { company: "the name of a company stands in another table (clients chapter §4.4)" },
  },
  leave_requests: {
    statements: [
      `insert into leave_types (id, organisation_id, key) select gen_random_uuid(), $1, 'type_' || n
         from generate_series(1, 10) n where $2::int > 0 and $3::uuid is not null`,
      `with k as (select id, row_number() over (order by id) - 1 n from leave_types where organisation_id = $1)
        insert into leave_requests (id, organisation_id, user_id, leave_type_id, status, start_date, end_date, hours, created_at, updated_at)
        select gen_random_uuid(), $1, case when n % 500 = 0 then $3 else md5((n % 997)::text)::uuid end,
               (select id from k where k.n = s.n % 10), (array['pending','approved','approved','rejected','cancelled'])[1 + s.n % 5],
               date '2000-01-03' + s.n % 9000, date '2000-01-03' + s.n % 9000 + s.n % 7, 1 + s.n % 40,
               timestamptz '2020-01-01' + s.n * interval '7 min', timestamptz '2021-01-01' + (s.n * 7919 % $2) * interval '7 min'
          from generate_series(1, $2::int) s(n)`,
    ],
    filters: { user_id: "$account", year: 2010, status: "pending" },
    common: "",
    rare: "",
    excepted: { employee: "the name of a person stands in another table (people §6)" },
  },
};
