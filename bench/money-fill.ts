/** Number of rows of each kind in this bench's organisation. */
export const AMOUNTS = { companies: 500, invoices: 100_000, drafts: 2_000 } as const;

/** The id of row `n` of a kind, identical in every run. */
const id = (kind: string, n: string) => `md5('${kind}' || ${n})::uuid`;
const { companies, invoices, drafts } = AMOUNTS;
const LINES = 4;

/** A bill-to party as the service copies it from a client. */
const customer = (name: string) => `jsonb_build_object('name', ${name}, 'trade_name', ${name}, 'address_line1', 'Oudegracht 12',
    'address_line2', null, 'postal_code', '3511 AB', 'city', 'Utrecht', 'country', 'NL', 'vat_number', null, 'coc_number', null,
    'client_number', null, 'email', 'company@bench.test', 'attn', null)`;

const SHARED = "organisation_id, company_id, currency, locale, customer, subtotal, tax_total, total, tax_groups";
const shared = (n: string) => `$1, ${id("company", `(1 + ${n} % ${companies})`)}, 'EUR', 'nl',
  ${customer(`'Company ' || 1 + ${n} % ${companies}`)},
  400 + ${n} % 900, round((400 + ${n} % 900) * 0.21, 2), round((400 + ${n} % 900) * 1.21, 2),
  jsonb_build_array(jsonb_build_object('name', 'Btw hoog', 'category', 'standard', 'rate_pct', '21.00',
    'base', (400 + ${n} % 900)::numeric(14, 2)::text, 'tax', round((400 + ${n} % 900) * 0.21, 2)::text))`;

const linesOf = (
  kind: string,
  most: number,
) => `insert into document_lines (id, organisation_id, invoice_id, position, description, quantity,
    unit, unit_price, amount, tax_rate_pct, tax_category, tax_name)
  select gen_random_uuid(), $1, ${id(kind, "n")}, m, 'Work on part ' || m, 1, 'uur', a.amount, a.amount, 21, 'standard', 'Btw hoog'
    from generate_series(1, ${most}) n, generate_series(0, ${LINES - 1}) m,
    lateral (select case when m = 0 then 100 + n % 900 else 100 end as amount) a`;

/**
 * Fills organisation `$1` with five years of invoices: nine in ten settled, some open or late, a few drafts and credit notes; and with
 * drafts ready to be issued. Nothing is random, so that two runs compare.
 */
export const FILL = [
  `insert into companies (id, organisation_id, name) select ${id("company", "n")}, $1, 'Company ' || n from generate_series(1, ${companies}) n`,
  `insert into invoices (id, ${SHARED}, number, status, kind, issue_date, due_date, paid_total, paid_at, public_token, created_at, updated_at)
     select ${id("invoice", "n")}, ${shared("n")}, case when s.status <> 'draft' then 'B' || lpad(n::text, 7, '0') end, s.status, 'invoice',
            d.day, d.day + 14, case when s.status = 'paid' then round((400 + n % 900) * 1.21, 2) else 0 end,
            case when s.status = 'paid' then d.day::timestamptz + interval '20 days' end,
            case when s.status <> 'draft' then substr(md5('token' || n) || md5(n::text), 1, 43) end, d.day::timestamptz, d.day::timestamptz
       from generate_series(1, ${invoices}) n,
       lateral (select current_date - 1 - (n::bigint * 1826 / ${invoices})::int as day) d,
       lateral (select case when n % 100 = 7 then 'draft' when n % 100 = 13 then 'cancelled' when n % 12 = 5 then 'open' else 'paid' end as status) s`,
  linesOf("invoice", invoices),
  `insert into invoices (id, ${SHARED}, status, kind, created_at)
     select ${id("draft", "n")}, ${shared("n")}, 'draft', 'invoice', now() - interval '10 years' from generate_series(1, ${drafts}) n`,
  linesOf("draft", drafts),
];

/** The drafts to issue; `$1` is the organisation. */
export const DRAFTS = `select d.id from (select ${id("draft", "n")} as id, n from generate_series(1, ${drafts}) n) d
  join invoices i on i.organisation_id = $1 and i.id = d.id order by d.n`;
/** An issued invoice with some lines. */
export const ONE_INVOICE = "select id from invoices where organisation_id = $1 and status = 'open' order by id limit 1";
