import type { DefineReferences } from "../../../test/support/lists/answers.ts";

/** Reference answers for the list of agreements. The client and the type used as filters have the id of the owner's account. */
export const agreementReferences: DefineReferences = (tools) => {
  const { odd, words, long, beginning, moment, creation, insert, text, both, companiesOf, companyIds } = tools;
  return [
    {
      path: "/subscriptions",
      table: "subscriptions",
      async fill(sql, organisation, { owner }, rows, seeded) {
        const { random, pick } = seeded;
        const named = owner.accountId;
        const companies = await companyIds(sql, organisation);
        const day = (from: number) => new Date(Date.UTC(2022, 0, from + Math.floor(random() * 500))).toISOString().slice(0, 10);
        const { rows: kinds } = await sql.query<{ id: string }>(
          `insert into subscription_types (id, organisation_id, key, position)
           select gen_random_uuid(), $1, 'type_' || n, n % 3 from generate_series(1, 6) n returning id`,
          [organisation],
        );
        const made = Array.from({ length: rows }, () => ({
          // The name index cannot hold longer entries.
          name: `${beginning(seeded)} ${words(seeded)}${random() < 0.2 ? pick(odd) : random() < 0.05 ? long(seeded, 600) : ""}`,
          company_id: random() < 0.05 ? named : pick(companies),
          status: pick(["draft", "active", "active", "paused", "cancelled"]),
          start_date: day(1),
          next_invoice_date: random() < 0.7 ? day(31) : null,
          subscription_type_id: random() < 0.1 ? named : random() < 0.6 ? pick(kinds).id : null,
          interval: pick(["monthly", "quarterly", "yearly"]),
          interval_count: pick([1, 1, 3, 4, 12]),
          created_at: creation(seeded),
          updated_at: moment(seeded),
        }));
        const types =
          "name text, company_id uuid, status text, start_date date, next_invoice_date date, subscription_type_id uuid, interval text, interval_count int, created_at timestamptz, updated_at timestamptz";
        await insert(sql, "subscriptions", types, made, organisation);
        // Rows with one price, with a past and a future price, with only a future price, and without a price.
        await sql.query(
          `insert into subscription_prices (organisation_id, subscription_id, valid_from, amount)
           select s.organisation_id, s.id, date '2020-01-01' + p.years * 365, (s.n * p.years) % 7 * 10.50 from
             (select *, row_number() over (order by id) as n from subscriptions where organisation_id = $1) s
             cross join (values (1), (4), (70)) p (years)
            where s.n % 4 = 0 and p.years = 1 or s.n % 4 = 1 or s.n % 4 = 2 and p.years = 70`,
          [organisation],
        );
      },
      fields: ["t.name"],
      terms: [..."alfa,gamma,delta,epsilon,verweg,nergens,é,qz,%,_,\\".split(","), ...odd.slice(2, 6)],
      orders: () => ({
        ...both(
          {
            status: text("t.status"),
            start_date: "t.start_date",
            // The latest price in force, else the first future one, else 0.
            amount: `coalesce((select p.amount from subscription_prices p where p.subscription_id = t.id and p.valid_from <= current_date
              order by p.valid_from desc limit 1), (select p.amount from subscription_prices p where p.subscription_id = t.id
              order by p.valid_from limit 1), 0)`,
            interval:
              "case t.interval when 'monthly' then t.interval_count when 'quarterly' then 3 * t.interval_count else 12 * t.interval_count end",
            company: text("(select c.name from companies c where c.id = t.company_id)"),
            type: `(select y.place from (select id, row_number() over (order by position, key) as place from subscription_types
              where organisation_id = t.organisation_id) y where y.id = t.subscription_type_id)`,
            next_invoice_date: "t.next_invoice_date",
            created_at: "t.created_at",
            updated_at: "t.updated_at",
          },
          `${text("t.name")}, t.id`,
          ["next_invoice_date", "company", "type"],
        ),
        name: `${text("t.name")}, t.id`,
        "-name": `${text("t.name")} desc, t.id desc`,
      }),
      filters: ({ owner }) => [
        ["&status=paused", "t.status = 'paused'"],
        ["&status=draft,cancelled", "t.status in ('draft', 'cancelled')"],
        ["&status=unheard", "false"],
        [`&company_id=${owner.accountId}`, `t.company_id = '${owner.accountId}'`],
        [`&subscription_type_id=${owner.accountId}`, `t.subscription_type_id = '${owner.accountId}'`],
      ],
      visible: (membership) => `t.company_id in (${companiesOf(membership)})`,
    },
  ];
};
