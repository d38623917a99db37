import type { DefineProofs, Place } from "../../../test/support/fixture/proofs.ts";

/** The day of the generated entries. */
const A_DAY = "2026-03-02";

/** Fixtures of time for the generic tests. */
export const timeProofs: DefineProofs = ({ next, insert, nobody }) => {
  const newEntry = (place: Place, values: object = {}) =>
    insert(place, "time_entries", {
      user_id: place.tenant.owner.accountId,
      company_id: place.companyId,
      started_at: `${A_DAY}T09:00:00Z`,
      ended_at: `${A_DAY}T10:00:00Z`,
      minutes: 60,
      description: place.token,
      ...values,
    });

  return {
    makers: {
      "/time entry_id": { ofCompany: true, make: (place) => newEntry(place) },
      "/time type_id": { ofCompany: false, make: (place) => insert(place, "time_entry_types", { key: `type_${next()}` }) },
    },
    values: {
      entry_type_key: () => "work",
      entry_date: () => A_DAY,
    },
    arranged: {
      "POST /time/timer/start": ({ sql, tenant }) =>
        sql.query("update time_entries set ended_at = started_at where organisation_id = $1 and ended_at is null", [
          tenant.organisation.id,
        ]),
      "POST /time/timer/stop": ({ sql, tenant }) =>
        sql.query(
          `insert into time_entries (id, organisation_id, user_id, started_at) select gen_random_uuid(), $1, account_id, now()
             from memberships where organisation_id = $1 on conflict (organisation_id, user_id) where ended_at is null do nothing`,
          [tenant.organisation.id],
        ),
    },
    lists: {
      time_entries: {
        statements: [
          // Entries of 200 people, on the first 200 clients and projects, over four years.
          `with c as (select array(select id from companies where organisation_id = $1 order by id limit 200) as ids),
            p as (select array(select id from projects where organisation_id = $1 order by id limit 200) as ids),
            k as (select array(select id from tasks where organisation_id = $1 order by id limit 200) as ids)
            insert into time_entries (id, organisation_id, user_id, company_id, project_id, task_id, work_date, started_at, ended_at, minutes, billable,
              description, approved_at, approved_by_user_id, invoiced_at, created_at, updated_at)
            select gen_random_uuid(), $1, case when n % 200 = 0 then $3 else md5((n % 200)::text)::uuid end,
                   c.ids[1 + n % cardinality(c.ids)], case when n % 5 > 0 then p.ids[1 + n * 7 % cardinality(p.ids)] end,
                   case when n % 3 > 0 then k.ids[1 + n * 11 % cardinality(k.ids)] end, (at.start at time zone 'Europe/Amsterdam')::date, at.start, at.start + n % 240 * interval '1 min', n % 240, n % 4 > 0, 'Worked on the texts of the home page and called about the photos, part ' || n % 500,
                   case when n % 3 = 0 then at.start + interval '9 days' end, case when n % 3 = 0 then $3::uuid end,
                   case when n % 6 = 0 then at.start + interval '20 days' end,
                   timestamptz '2020-01-01' + n * interval '7 min', timestamptz '2021-01-01' + (n::bigint * 104729 % $2) * interval '7 min'
              from generate_series(1, $2::int) s(n), c, p, k,
                   lateral (select timestamptz '2022-01-03' + s.n * interval '21 min' as start) at`,
        ],
        filters: {
          user_id: "$account",
          company_id: nobody(),
          project_id: nobody(),
          task_id: nobody(),
          from: "2024-01-01",
          until: "2022-01-31",
          entry_type: "work",
          running: true,
          billable: false,
          approved: true,
          invoiced: false,
          of_client: true,
        },
        common: "",
        rare: "",
        excepted: {
          employee: "the name of a person is in another table (work chapter §4.1)",
          company: "the name of a client is in another table (work chapter §4.1)",
          project: "the name of a project is in another table (work chapter §4.1)",
          task: "the title of a task is in another table (work chapter §4.1)",
          approver: "the name of a person is in another table (work chapter §4.1)",
          description: "rarely used; an index of every text would slow every write of entries",
          minutes: "rarely used; entries are written far more often than sorted this way",
          billable: "rarely used; entries are written far more often than sorted this way",
          approved_at: "rarely used; entries are written far more often than sorted this way",
          invoiced_at: "rarely used; entries are written far more often than sorted this way",
        },
      },
    },
  };
};
