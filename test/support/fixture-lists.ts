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
};
