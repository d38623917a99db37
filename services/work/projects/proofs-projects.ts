import type { DefineProofs } from "../../../test/support/fixture/proofs.ts";

/** Fixtures of projects for the generic tests. */
export const projectsProofs: DefineProofs = ({ insert, named, nobody }) => ({
  makers: {
    project_id: {
      ofCompany: true,
      async make(place) {
        const id = await insert(place, "projects", { company_id: place.companyId, name: named(place.token), budget_hours: 10 });
        await place.sql.query(
          "insert into project_assignees (organisation_id, project_id, account_id, is_primary) values ($1, $2, $3, true)",
          [place.tenant.organisation.id, id, place.tenant.owner.accountId],
        );
        return id;
      },
    },
  },
  values: {
    currency: () => "EUR",
  },
  fixedLists: {
    "GET /projects/dashboard-budgets": "at most 20 rows are cut from all budgets; its own test counts the statements",
  },
  lists: {
    projects: {
      statements: [
        // References the first 200 clients.
        `insert into projects (id, organisation_id, company_id, name, status, unnamed, budget_hours, start_date, end_date,
            created_at, updated_at)
          select md5('project ' || $2 || ' ' || s.n)::uuid, $1, c.ids[1 + s.n % cardinality(c.ids)],
                 (array['Website','Campaign','Retainer','Shop','Brand'])[1 + s.n % 5] || ' Project ' || md5(s.n::text) ||
                 case when s.n = 4711 then ' Zeldzaam' else '' end,
                 (array['active','active','active','on_hold','completed','archived'])[1 + s.n % 6], s.n % 50 = 0,
                 case when s.n % 10 > 0 then s.n % 400 end, case when s.n % 7 > 0 then date '2020-01-01' + s.n % 2000 end,
                 case when s.n % 9 > 0 then date '2021-01-01' + s.n % 2000 end,
                 timestamptz '2020-01-01' + s.n * interval '7 min', timestamptz '2021-01-01' + (s.n * 7919 % $2) * interval '7 min'
            from generate_series(1, $2::int) s(n),
                 (select array(select id from companies where organisation_id = $1 order by id limit 200) as ids) c`,
        `insert into project_assignees (organisation_id, project_id, account_id, is_primary)
          select organisation_id, id, case when row_number() over () % 500 = 0 then $3
                 else (select id from accounts where id <> $3 limit 1) end, true
            from projects where organisation_id = $1`,
      ],
      filters: {
        company_id: nobody(),
        status: ["on_hold", "archived"],
        unnamed: true,
        mine: "$account",
        of_client: true,
      },
      common: "project",
      rare: "zeldzaam",
      excepted: { assignee: "the name of a person is in another table (work chapter §2.2)" },
    },
  },
});
