import type { DefineProofs, Place } from "../../../test/support/fixture/proofs.ts";

/** The initial statuses, for tasks inserted by SQL. */
const STATUSES = `insert into task_statuses (id, organisation_id, key, name, color, position, is_terminal, is_default)
  select gen_random_uuid(), $1, s.key, s.key, 'sky', s.position, s.key = 'done', s.key = 'open'
    from (values ('open', 0), ('in_progress', 1), ('done', 2)) s(key, position) on conflict do nothing`;

/** A rule with a plan for the owner. */
const ruleOf = ({ tenant: { owner } }: Place) => ({
  freq: "weekly",
  interval: 2,
  mode: "schedule",
  on_weekday: 0,
  plan: { user_id: owner.accountId, start_time: "09:00", duration_minutes: 60 },
});
const rosterOf = ({ tenant: { owner } }: Place) => [{ user_id: owner.accountId, is_primary: true }];

/** Fixtures of tasks for the generic tests. */
export const tasksProofs: DefineProofs = ({ next, insert, named, nobody }) => {
  const newTask = async (place: Place) => {
    await place.sql.query(STATUSES, [place.tenant.organisation.id]);
    return insert(place, "tasks", { company_id: place.companyId, title: named(place.token), status: "open" });
  };

  const newLabel = (place: Place) => insert(place, "task_labels", { name: named(place.token), color: "red" });

  return {
    makers: {
      task_id: { ofCompany: true, make: newTask },
      status_id: {
        ofCompany: false,
        make: (place) => insert(place, "task_statuses", { key: `status_${next()}`, name: named(place.token), color: "sky" }),
      },
      label_id: { ofCompany: false, make: newLabel },
    },
    // Rules a schema cannot express: employees or a contact, the anchors of a frequency, the requirements of finishing.
    bodies: {
      "POST /tasks": async (place) => ({
        title: named(place.token),
        description: place.token,
        company_id: place.companyId,
        priority: "high",
        due_date: "2026-03-02",
        assignees: rosterOf(place),
        allocated_minutes: 60,
        recurrence: ruleOf(place),
        checklist: { title: place.token, items: [{ title: place.token }] },
        links: [{ url: "https://www.example.com", title: place.token }],
        label_ids: [await newLabel(place)],
      }),
      "PATCH /tasks/{task_id}": async (place) => ({
        title: named(place.token),
        description: place.token,
        company_id: place.companyId,
        status: "in_progress",
        due_date: "2026-03-02",
        assignees: rosterOf(place),
        position: 1.5,
        recurrence: ruleOf(place),
      }),
      "POST /tasks/recurrence/preview": async (place) => ({ recurrence: ruleOf(place), due_date: "2026-03-02" }),
    },
    fixedLists: {
      "GET /tasks/mine": "at most 100 rows of one person; a separate test counts the statements",
      "GET /tasks/dashboard-mine": "at most 100 rows of one person; a separate test counts the statements",
      "GET /tasks/dashboard-groups": "one row per project or client; its own test counts the statements",
    },
    lists: {
      tasks: {
        statements: [
          STATUSES,
          // Statuses of other organisations.
          `insert into task_statuses (id, organisation_id, key, name, color)
             select gen_random_uuid(), md5(n::text)::uuid, 'status_' || n, 'Status', 'sky'
               from generate_series(1, $2::int) n on conflict do nothing`,
          // References the first 200 clients.
          `insert into tasks (id, organisation_id, company_id, title, status, priority, unnamed, due_date, position, created_at, updated_at)
            select md5('task ' || $2 || ' ' || s.n)::uuid, $1, case when s.n % 20 > 0 then c.ids[1 + s.n % cardinality(c.ids)] end,
                   (array['Call','Write','Build','Check','Send'])[1 + s.n % 5] || ' Task ' || md5(s.n::text) ||
                   case when s.n = 4711 then ' Zeldzaam' else '' end,
                   (array['open','open','in_progress','done'])[1 + s.n % 4], (array['low','normal','high'])[1 + s.n % 3], s.n % 50 = 0,
                   case when s.n % 7 > 0 then date '2020-01-01' + s.n % 2000 end, s.n * 1024,
                   timestamptz '2020-01-01' + s.n * interval '7 min', timestamptz '2021-01-01' + (s.n * 7919 % $2) * interval '7 min'
              from generate_series(1, $2::int) s(n),
                   (select array(select id from companies where organisation_id = $1 order by id limit 200) as ids) c`,
          `insert into task_assignees (organisation_id, task_id, account_id, is_primary)
            select organisation_id, id, case when row_number() over () % 500 = 0 then $3
                   else (select id from accounts where id <> $3 limit 1) end, true
              from tasks where organisation_id = $1`,
          // Every fifth task has a checklist, another fifth a label, every tenth a comment.
          `with l as (insert into task_labels (id, organisation_id, name, color) select gen_random_uuid(), $1, 'Label ' || n, 'red'
               from generate_series(1, 200) n returning id),
             t as (select id, row_number() over () as n from tasks where organisation_id = $1),
             c as (insert into task_checklists (id, organisation_id, task_id, title) select gen_random_uuid(), $1, id, 'List' from t
               where n % 5 = 0 returning id),
             i as (insert into task_checklist_items (id, organisation_id, checklist_id, title)
               select gen_random_uuid(), $1, id, 'Item' from c),
             m as (insert into task_comments (id, organisation_id, task_id, body) select gen_random_uuid(), $1, id, 'Comment' from t
               where n % 10 = 0)
            insert into task_label_links (organisation_id, task_id, label_id)
            select $1, t.id, (array(select id from l))[1 + t.n % 200] from t where t.n % 5 = 1`,
        ],
        filters: {
          company_id: nobody(),
          project_id: nobody(),
          unlinked: true,
          assignee_user_id: "$account",
          assignee_contact_id: nobody(),
          status: ["in_progress"],
          label_id: nobody(),
          due_from: "2024-01-01",
          due_to: "2021-01-01",
          window_from: "2024-01-01",
          window_to: "2021-01-01",
          open: true,
          unnamed: true,
        },
        common: "task",
        rare: "zeldzaam",
        excepted: {
          assignee: "the name of a person is in another table (work chapter §3.6)",
          status: "the order of statuses is configured, in another table (work chapter §3.6)",
        },
      },
    },
  };
};
