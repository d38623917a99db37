import { companyRows } from "./company-rows.ts";

/** The id of row `n` of a kind in the organisation of seed `$4`, the same in every run. */
const id = (kind: string, n: string): string => `md5('${kind} ' || $4::text || ' ' || ${n})::uuid`;
const company = (n: string): string => id("company", n);
const project = (n: string): string => id("project", n);
const MEMBERS = `people as materialized (select array_agg(m.account_id order by a.email) as ids from memberships m
  join accounts a on a.id = m.account_id where m.organisation_id = $1::uuid)`;
/** A member of the organisation: the first ones do most, as in most organisations. */
const person = (n: string): string => `p.ids[1 + floor(cardinality(p.ids) * (${n} % 97 / 97.0) ^ 2)::int]`;
const numbers = (of = "1"): string => `generate_series(($2::int - 1) * ${of} + 1, $3::int * ${of}) n`;
/** Whether all values of a batch are given, so that each statement takes the same ones. */
const GIVEN = "$1::uuid is not null and $2::int > 0 and $3::int > 0 and $4::text <> '' and $5::timestamptz is not null";

/** What each organisation needs before its first batch. */
export const PREPARE = `insert into task_statuses (id, organisation_id, key, name, color, position, is_default, is_terminal)
  select ${id("status", "s.n")}, $1::uuid, s.key, s.name, s.color, s.n, s.n = 0, s.n = 2
    from (values ('open', 'Open', 'sky', 0), ('in_progress', 'In behandeling', 'amber', 1), ('done', 'Klaar', 'green', 2)) s (key, name, color, n)
   where ${GIVEN}`;

/**
 * Fills companies `$2` to `$3` of organisation `$1`, and what belongs to them: one or two contacts each, a project for every fifth, two
 * tasks, three entries of hours, an invoice of two lines for every second, an agreement for every tenth. `$4` is the seed, `$5` the day on
 * which the rows end. All triggers and references hold.
 */
export const FILL: readonly string[] = [
  `insert into companies (id, organisation_id, name, legal_name, client_number, status, invoice_email, phone, vat_number, coc_number,
      address_line1, house_number, postal_code, city, country, website, notes, custom, created_at, updated_at)
    select ${company("c.g")}, $1::uuid, c.name, c.legal_name, 'C' || c.g, c.status, c.email, c.phone, c.vat_number, c.coc_number, c.street,
      c.house_number, c.postal_code, c.city, 'NL', c.website, c.notes, c.custom, d.made, d.made
    from (${companyRows("$3", "$2")}) c, lateral (select $5::timestamptz - (c.g * 7919 % 1000) * interval '1 day' as made) d
   where ${GIVEN}`,
  `with ${MEMBERS} insert into company_assignees (organisation_id, company_id, account_id, is_primary)
    select $1::uuid, ${company("n")}, ${person("n")}, true from ${numbers()}, people p where n % 10 > 0 and ${GIVEN}`,
  `insert into contacts (id, organisation_id, first_name, last_name, email, phone, linked, created_at, updated_at)
    select ${id("contact", "n")}, $1::uuid, (array['Anna', 'Bram', 'Carla', 'David', 'Eva', 'Femke', 'Gijs', 'Hanna'])[1 + n % 8],
      (array['Jansen', 'Bakker', 'Visser', 'Smit', 'Meijer', 'Mulder', 'Bos'])[1 + n % 7] || ' ' || substr(md5(n::text), 1, 4),
      'contact' || n || '@example.test', '+3161' || lpad((n % 10000000)::text, 7, '0'), true, d.made, d.made
    from ${numbers("2")}, lateral (select $5::timestamptz - (n % 1000) * interval '1 day' as made) d
   where (n % 2 = 1 or n % 4 = 0) and ${GIVEN}`,
  `insert into contact_links (organisation_id, contact_id, company_id, is_primary)
    select $1::uuid, ${id("contact", "n")}, ${company("((n + 1) / 2)")}, n % 2 = 1 from ${numbers("2")} where (n % 2 = 1 or n % 4 = 0) and ${GIVEN}`,
  `insert into projects (id, organisation_id, company_id, name, status, budget_hours, created_at, updated_at)
    select ${project("n")}, $1::uuid, ${company("n")}, 'Project ' || n, case when n % 15 = 0 then 'completed' else 'active' end,
      case when n % 2 = 0 then 40 end, d.made, d.made
    from ${numbers()}, lateral (select $5::timestamptz - (n % 900) * interval '1 day' as made) d where n % 5 = 0 and ${GIVEN}`,
  `insert into tasks (id, organisation_id, company_id, project_id, title, status, priority, due_date, position, created_at, updated_at, completed_at)
    select ${id("task", "n")}, $1::uuid, ${company("c.client")}, case when c.client % 5 = 0 then ${project("c.client")} end, 'Task ' || n || ' ' || substr(md5(n::text), 1, 6),
      s.status, (array['low', 'normal', 'normal', 'high'])[1 + n % 4], case when n % 3 > 0 then ($5::timestamptz)::date - 300 + n % 330 end,
      n * 1024.0, d.made, d.made, case when s.status = 'done' then d.made end
    from ${numbers("2")}, lateral (select (n + 1) / 2 as client) c, lateral (select $5::timestamptz - (n % 700) * interval '1 day' as made) d,
      lateral (select case when n % 6 = 0 then 'open' when n % 20 = 1 then 'in_progress' else 'done' end as status) s
   where ${GIVEN}`,
  `with ${MEMBERS} insert into task_assignees (organisation_id, task_id, account_id, is_primary)
    select $1::uuid, ${id("task", "n")}, ${person("n")}, true from ${numbers("2")}, people p where n % 10 > 0 and ${GIVEN}`,
  `with ${MEMBERS} insert into time_entries (id, organisation_id, user_id, work_date, started_at, ended_at, minutes, billable, company_id, project_id,
      task_id, description, approved_at, created_at, updated_at)
    select ${id("entry", "n")}, $1::uuid, ${person("n")}, w.at::date, w.at, w.at + w.minutes * interval '1 minute', w.minutes, n % 5 > 0, ${company("c.client")},
      case when c.client % 5 = 0 then ${project("c.client")} end, case when n % 3 > 0 then ${id("task", "(c.client * 2 - n % 2)")} end, 'Work ' || n % 500,
      case when n % 4 > 0 then w.at + interval '9 days' end, w.at, w.at
    from ${numbers("3")}, people p, lateral (select (n + 2) / 3 as client) c,
      lateral (select $5::timestamptz - (n % 600) * interval '1 day' + (7 + n % 9) * interval '1 hour' as at, 15 * (1 + n % 16) as minutes) w
   where ${GIVEN}`,
  `insert into invoices (id, organisation_id, company_id, currency, locale, customer, subtotal, tax_total, total, tax_groups, number, status, kind,
      issue_date, due_date, paid_total, paid_at, created_at, updated_at)
    select ${id("invoice", "n")}, $1::uuid, ${company("n")}, 'EUR', 'nl', jsonb_build_object('name', 'Client ' || n), a.net, a.tax, a.net + a.tax,
      jsonb_build_array(jsonb_build_object('rate_pct', '21.00', 'category', 'standard', 'name', 'BTW 21%', 'base', a.net::text, 'tax', a.tax::text)),
      case when s.status <> 'draft' then 'F' || lpad(n::text, 8, '0') end, s.status, 'invoice', d.day, d.day + 14,
      case when s.status = 'paid' then a.net + a.tax else 0 end, case when s.status = 'paid' then d.day + interval '12 days' end, d.day, d.day
    from ${numbers()}, lateral (select ($5::timestamptz)::date - n % 900 as day) d,
      lateral (select 3 * m.unit as net, round(3 * m.unit * 0.21, 2) as tax from (select 50 + n % 400 as unit) m) a,
      lateral (select case when n % 50 = 0 then 'draft' when n % 16 = 2 then 'open' else 'paid' end as status) s
   where n % 2 = 0 and ${GIVEN}`,
  `insert into document_lines (id, organisation_id, invoice_id, position, description, quantity, unit_price, amount, tax_rate_pct, tax_category, tax_name)
    select ${id("line", "(n * 2 + l.k)")}, $1::uuid, ${id("invoice", "n")}, l.k, 'Line ' || l.k, l.k + 1, 50 + n % 400, (l.k + 1) * (50 + n % 400), 21, 'standard', 'BTW 21%'
    from ${numbers()}, generate_series(0, 1) l (k) where n % 2 = 0 and ${GIVEN}`,
  `insert into subscriptions (id, organisation_id, company_id, name, status, start_date, next_invoice_date, created_at, updated_at)
    select ${id("agreement", "n")}, $1::uuid, ${company("n")}, 'Agreement ' || n, case when n % 50 = 0 then 'paused' else 'active' end, d.day,
      ($5::timestamptz)::date + 1 + n % 28, d.day, d.day
    from ${numbers()}, lateral (select ($5::timestamptz)::date - 30 - n % 1000 as day) d where n % 10 = 0 and ${GIVEN}`,
  `insert into subscription_prices (organisation_id, subscription_id, valid_from, amount)
    select $1::uuid, ${id("agreement", "n")}, ($5::timestamptz)::date - 30 - n % 1000, 50 + n % 200 from ${numbers()} where n % 10 = 0 and ${GIVEN}`,
];
