/** Number of rows of each kind in this bench's organisation. */
export const AMOUNTS = { people: 200, companies: 120, projects: 400, tasks: 20_000, entries: 1_000_000 } as const;

/** The id of row `n` of a kind, identical in every run. */
const id = (kind: string, n: string) => `md5('${kind}' || ${n})::uuid`;
const { people, companies, projects, tasks, entries } = AMOUNTS;
/** Days of the four years that entries cover; the last one is yesterday. */
const DAYS = 1461;

/**
 * Fills organisation `$1`, which already has its statuses and entry types, with four years of an agency. Nothing is random, so that two
 * runs compare.
 */
export const FILL = [
  `insert into accounts (id, email, full_name) select ${id("account", "n")}, 'person' || n || '@bench.test', 'Person ' || n
     from generate_series(1, ${people}) n where $1::uuid is not null`,
  `insert into memberships (organisation_id, account_id) select $1, ${id("account", "n")} from generate_series(1, ${people}) n`,
  `insert into leave_profiles (id, organisation_id, user_id, hourly_rate)
     select gen_random_uuid(), $1, ${id("account", "n")}, 60 + n % 50 from generate_series(1, ${people}) n where n % 4 > 0`,
  `insert into companies (id, organisation_id, name) select ${id("company", "n")}, $1, 'Company ' || n from generate_series(1, ${companies}) n`,
  `insert into projects (id, organisation_id, company_id, name, status, budget_hours, budget_period)
     select ${id("project", "n")}, $1, ${id("company", `(1 + n % ${companies})`)}, 'Project ' || lpad(n::text, 3, '0'),
            case when n % 10 = 0 then 'completed' else 'active' end, case when n % 2 = 0 then 40 + n end,
            (array['total', 'monthly'])[1 + n % 4 / 2] from generate_series(1, ${projects}) n`,
  `insert into project_assignees (organisation_id, project_id, account_id, is_primary)
     select $1, ${id("project", "n")}, ${id("account", `(1 + (n + m * 7) % ${people})`)}, m = 0
       from generate_series(1, ${projects}) n, generate_series(0, 1) m`,
  `insert into task_labels (id, organisation_id, name, color, position)
     select ${id("label", "n")}, $1, 'Label ' || n, 'sky', n from generate_series(1, 20) n`,
  `insert into tasks (id, organisation_id, company_id, project_id, status, priority, title, due_date, position, allocated_minutes, completed_at, created_at)
     select ${id("task", "n")}, $1, ${id("company", `(1 + (1 + n % ${projects}) % ${companies})`)}, ${id("project", `(1 + n % ${projects})`)},
            case when n % 4 = 0 then 'open' when n % 20 = 1 then 'in_progress' else 'done' end, (array['low', 'normal', 'high'])[1 + n % 3],
            'Task ' || n, case when n % 3 > 0 then current_date - 300 + n % 330 end, n * 1024.0, case when n % 5 = 0 then 240 end,
            case when n % 4 > 0 and n % 20 <> 1 then now() end, now() - n * interval '1 hour' from generate_series(1, ${tasks}) n`,
  `insert into task_assignees (organisation_id, task_id, account_id, is_primary)
     select $1, ${id("task", "n")}, ${id("account", `(1 + (n + m * 11) % ${people})`)}, m = 0
       from generate_series(1, ${tasks}) n, generate_series(0, 1) m`,
  `insert into task_label_links (organisation_id, task_id, label_id)
     select $1, ${id("task", "n")}, ${id("label", "(1 + n % 20)")} from generate_series(1, ${tasks}) n where n % 2 = 0`,
  `insert into task_checklists (id, organisation_id, task_id, title)
     select ${id("checklist", "n")}, $1, ${id("task", "n")}, 'Checklist' from generate_series(1, ${tasks}) n where n % 5 = 0`,
  `insert into task_checklist_items (id, organisation_id, checklist_id, title, done, position)
     select gen_random_uuid(), $1, ${id("checklist", "n")}, 'Item ' || m, m = 0, m
       from generate_series(5, ${tasks}, 5) n, generate_series(0, 3) m`,
  `insert into task_comments (id, organisation_id, task_id, author_account_id, body)
     select gen_random_uuid(), $1, ${id("task", "n")}, ${id("account", `(1 + n % ${people})`)}, 'Comment'
       from generate_series(3, ${tasks}, 3) n`,
  `insert into time_entries (id, organisation_id, user_id, work_date, started_at, ended_at, minutes, billable, company_id, project_id, task_id,
       entry_type_key, approved_at, invoiced_at, description)
     select ${id("entry", "n")}, $1, ${id("account", `(1 + n % ${people})`)}, (e.at at time zone 'Europe/Amsterdam')::date, e.at, e.at + e.minutes * interval '1 minute', e.minutes,
            n % 5 > 0, ${id("company", `(1 + e.project % ${companies})`)}, ${id("project", "e.project")},
            case when n % 2 = 0 then ${id("task", `(1 + (e.project - 1 + ${projects} * (n / 400 % 50)) % ${tasks})`)} end, 'work',
            case when e.day < ${DAYS} - 30 then e.at + interval '10 days' end,
            case when e.day < ${DAYS} - 90 and n % 5 > 0 then e.at + interval '40 days' end, 'Work on it'
       from generate_series(1, ${entries}) n,
       lateral (select (n / ${people})::bigint * ${DAYS} / ${entries / people} as day, 30 + 15 * (n * 7 % 4) as minutes, 1 + n * 13 % ${projects} as project) d,
       lateral (select d.day, d.minutes, d.project, (current_date - ${DAYS} + d.day::int)::timestamptz + (8 + 2 * (n / ${people} % 4)) * interval '1 hour' as at) e`,
];
