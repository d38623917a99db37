import { companyRows } from "./companies.ts";

/** Since this date 1,000 companies of each organisation have changed. */
export const SINCE = "2026-01-01T00:00:00Z";
/** Words that occur in one company out of this many, spread evenly over every order. */
export const HELD = { decimana: 10, quartana: 25, millesima: 1000, rarissima: 100_000 };
/** Number of accounts that companies are assigned to and that do the work. */
const PEOPLE = 20;

/** The id of row `n` of a kind in organisation `$1`, identical in every run. */
const id = (kind: string, n: string) => `md5('${kind}' || $1::uuid || ${n})::uuid`;
/** Number of an organisation's companies and projects with work: one in a hundred, at least ten. */
const CLIENTS = "greatest($2::int / 100, 10)";
const company = (n: string) => `(select ids from clients)[1 + ${n} % ${CLIENTS}]`;
const WITH_CLIENTS = `with clients as materialized (select array_agg(id order by id) as ids
    from (select id from companies where organisation_id = $1::uuid order by id limit ${CLIENTS}) c),
  people as materialized (select array_agg(id order by email) as ids from accounts where email like '%@growth.test')`;
const worker = (n: string) => `(select ids from people)[1 + ${n} % ${PEOPLE}]`;
const rows = "generate_series(1, $2::int) n";

/** Callers by how many rows have them on the roster: none, one in 10,000, and one in ten. */
export const CALLERS = { nothing: 0, "1 in 10,000": 10_000, "1 in 10": 10 } as const;

/** Puts account `$2` on the roster of every `$3`-th task and company of organisation `$1`; zero is none. */
export const OWN = (
  [
    ["task_assignees", "task_id", "tasks"],
    ["company_assignees", "company_id", "companies"],
  ] as const
).map(
  ([roster, owner, table]) => `insert into ${roster} (organisation_id, ${owner}, account_id)
   select $1::uuid, t.id, $2::uuid from (select id, row_number() over (order by created_at, id) as n from ${table} where organisation_id = $1) t
    where $3::int > 0 and t.n % nullif($3::int, 0) = 4 on conflict do nothing`,
);

/**
 * Fills organisation `$1` with `$2` companies and as many tasks, hours, contact moments, notifications, invoices and agreements, for
 * account `$3`. A company's number determines the last word of its name.
 */
export const FILL = [
  `insert into companies (id, organisation_id, name, legal_name, client_number, status, invoice_email, phone, vat_number, coc_number,
     address_line1, house_number, postal_code, city, country, website, notes, custom, created_at, updated_at)
   select (lpad(to_hex(floor(extract(epoch from c.created_at) * 1000)::bigint), 12, '0') || '7' || substr(md5($1::uuid::text || c.g), 1, 3) || 'a' ||
       substr(md5($1::uuid::text || c.g), 4, 15))::uuid, $1::uuid, c.name,
     c.legal_name || ${Object.entries(HELD)
       .map(([word, one], index) => `case c.g % ${one} when ${index + 1} then ' ${word}' else '' end`)
       .join(" || ")},
     'C' || c.g, c.status, c.email, c.phone, c.vat_number, c.coc_number, c.street, c.house_number, c.postal_code, c.city, 'NL',
     c.website, c.notes, c.custom, c.created_at,
     timestamptz '${SINCE}' + case c.g % greatest($2::int / 1000, 1) when 0 then 1 else -1 end * (1 + random() * 100) * interval '1 h'
   from (${companyRows("$2")}) c where $3::uuid is not null`,
  `insert into accounts (email, full_name) select 'person' || n || '@growth.test', 'Person ' || n
     from generate_series(1, ${PEOPLE}) n where $1::uuid is not null and $2::int > 0 and $3::uuid is not null on conflict do nothing`,
  `insert into company_assignees (organisation_id, company_id, account_id, is_primary)
   select c.organisation_id, c.id, a.id, true from (select *, row_number() over (order by id) as n from companies where organisation_id = $1::uuid) c
     join (select id, row_number() over (order by email) as n from accounts where email like '%@growth.test') a on a.n = 1 + c.n % ${PEOPLE + 4}
    where $2::int > 0 and $3::uuid is not null`,
  `insert into contacts (id, organisation_id, first_name, last_name, email)
   select ${id("contact", "n")}, $1, 'First ' || n, 'Last ' || md5(n::text), 'contact' || n || '@example.test'
     from generate_series(1, ${CLIENTS}) n where $3::uuid is not null`,
  `${WITH_CLIENTS} insert into projects (id, organisation_id, company_id, name, status)
   select ${id("project", "n")}, $1, ${company("n")}, 'Project ' || n, case when n % 10 = 0 then 'completed' else 'active' end
     from generate_series(1, ${CLIENTS}) n where $3::uuid is not null`,
  `insert into task_statuses (id, organisation_id, key, name, color, position, is_default, is_terminal)
   select gen_random_uuid(), $1, s.key, s.key, 'sky', s.n, s.n = 1, s.n = 3 from (values ('open', 1), ('in_progress', 2), ('done', 3)) s(key, n)
    where $2::int > 0 and $3::uuid is not null on conflict do nothing`,
  // A quarter is open; one in fifty is the caller's.
  `${WITH_CLIENTS} insert into tasks (id, organisation_id, company_id, project_id, title, status, priority, due_date, position, created_at, updated_at)
   select ${id("task", "n")}, $1, ${company("n")}, case when n % 3 > 0 then ${id("project", `(1 + n % ${CLIENTS})`)} end,
          'Task ' || md5(n::text), case when n % 4 = 0 then 'open' when n % 20 = 1 then 'in_progress' else 'done' end,
          (array['low', 'normal', 'high'])[1 + n % 3], case when n % 3 > 0 then current_date - 300 + n % 330 end, n * 1024.0,
          now() - n * interval '1 min', now() - n * interval '1 min' from ${rows} where $3::uuid is not null`,
  `${WITH_CLIENTS} insert into task_assignees (organisation_id, task_id, account_id, is_primary)
   select $1, ${id("task", "n")}, case when n % 50 = 0 then $3::uuid else ${worker("n")} end, true from ${rows} where n % 10 > 0 or n % 50 = 0`,
  `${WITH_CLIENTS} insert into time_entries (id, organisation_id, user_id, work_date, started_at, ended_at, minutes, billable, company_id, project_id,
     task_id, description, approved_at, created_at, updated_at)
   select ${id("entry", "n")}, $1, case when n % 50 = 0 then $3::uuid else ${worker("n")} end, e.at::date, e.at, e.at + e.minutes * interval '1 min',
          e.minutes, n % 5 > 0, ${company("n")}, case when n % 3 > 0 then ${id("project", `(1 + n % ${CLIENTS})`)} end,
          case when n % 2 = 0 then ${id("task", "n")} end, 'Work on part ' || n % 500, case when n % 3 > 0 then e.at + interval '9 days' end, e.at, e.at
     from ${rows}, lateral (select now() - n * interval '1 min' as at, 15 * (1 + n % 16) as minutes) e`,
  // Two in three are messages, in conversations of four.
  `${WITH_CLIENTS} insert into interactions (id, organisation_id, kind, source, subject, snippet, occurred_at, owner_account_id, conversation_id,
     company_id, project_id, created_at, updated_at, leads)
   select ${id("moment", "n")}, $1, case when n % 3 > 0 then 'email' else 'call' end, case when n % 3 > 0 then 'mail' else 'manual' end,
          'Moment ' || md5(n::text), 'About part ' || n, m.at, case when n % 50 = 0 then $3::uuid else ${worker("n")} end,
          case when n % 3 > 0 then ${id("conversation", "(n / 6)")} else ${id("moment", "n")} end, ${company("n / 6")},
          case when n % 2 = 0 then ${id("project", `(1 + n / 6 % ${CLIENTS})`)} end, m.at, m.at,
          n % 3 = 0 or n % 6 = 1
     from ${rows}, lateral (select now() - n * interval '1 min' as at) m`,
  `insert into interaction_contacts (organisation_id, interaction_id, contact_id)
   select $1, ${id("moment", "n")}, ${id("contact", `(1 + n / 6 % ${CLIENTS})`)} from ${rows} where n % 2 = 0 and $3::uuid is not null`,
  `insert into notification_events (id, organisation_id, event_type, entity_type, entity_id, payload)
   select ${id("told", "n")}, $1, 'task.assigned', 'task', ${id("task", "n")}, '{}' from ${rows} where $3::uuid is not null`,
  // One in ten is unread.
  `${WITH_CLIENTS} insert into notifications (organisation_id, account_id, event_id, event_type, entity_type, entity_id, visible_at, created_at, updated_at, read_at)
   select $1, case when n % 10 = 0 then $3::uuid else ${worker("n")} end, ${id("told", "n")}, 'task.assigned', 'task', ${id("task", "n")}, t.at, t.at, t.at,
          case when n % 100 > 9 then now() end from ${rows}, lateral (select now() - n * interval '1 min' as at) t`,
  `${WITH_CLIENTS} insert into invoices (id, organisation_id, company_id, currency, locale, customer, subtotal, tax_total, total, tax_groups, number, status,
     kind, issue_date, due_date, paid_total, paid_at, created_at, updated_at)
   select ${id("invoice", "n")}, $1, ${company("n")}, 'EUR', 'nl', jsonb_build_object('name', 'Company ' || n % 1000), a.net, round(a.net * 0.21, 2),
          round(a.net * 1.21, 2), '[]', case when n % 100 > 0 then 'B' || lpad(n::text, 8, '0') end,
          case when n % 100 = 0 then 'draft' when n % 10 = 5 then 'open' else 'paid' end, 'invoice', current_date - n % 1800, current_date - n % 1800 + 14,
          case when n % 10 = 5 then 0 else round(a.net * 1.21, 2) end, case when n % 10 <> 5 then now() - n * interval '1 min' end,
          now() - n * interval '1 min', now() - n * interval '1 min'
     from ${rows}, lateral (select 100 + n::bigint * 7919 % 100000 / 10.0 as net) a where $3::uuid is not null`,
  `${WITH_CLIENTS} insert into subscriptions (id, organisation_id, company_id, name, status, start_date, next_invoice_date, created_at, updated_at)
   select ${id("agreement", "n")}, $1, ${company("n")}, 'Agreement ' || md5(n::text), case when n % 5 = 0 then 'paused' else 'active' end,
          date '2022-01-01' + n % 1000, date '2027-01-01' + n % 365, now() - n * interval '1 min', now() - n * interval '1 min'
     from generate_series(1, $2::int / 10) n where $3::uuid is not null`,
  `insert into subscription_prices (organisation_id, subscription_id, valid_from, amount)
   select organisation_id, id, start_date, 50 + get_byte(uuid_send(id), 15) from subscriptions where organisation_id = $1 and $2::int > 0 and $3::uuid is not null`,
];
