import type { DefineReferences } from "../../test/support/lists/answers.ts";

/** Expected results of the report list. Only tests load them. */
const references: DefineReferences = ({ odd, words, beginning, moment, creation, insert, companiesOf, companyIds }) => [
  {
    path: "/reporting/reports",
    table: "reports",
    async fill(sql, organisation, _callers, rows, seeded) {
      const { random, pick } = seeded;
      const companies = await companyIds(sql, organisation);
      const made = Array.from({ length: rows }, (_, n) => {
        // Each report of one client and audience needs its own first day.
        const day = new Date(Date.UTC(2010, 0, 1 + Math.floor(n / 3))).toISOString().slice(0, 10);
        return {
          company_id: random() < 0.05 ? null : companies[n % companies.length],
          company_name: beginning(seeded),
          audience: random() < 0.3 ? "internal" : "client",
          status: pick(["draft", "ready", "sent", "failed"]),
          locale: "nl",
          title: `Report ${random() < 0.3 ? pick(odd) : words(seeded)}`,
          period_start: day,
          period_end: day,
          compare_start: day,
          compare_end: day,
          created_at: creation(seeded),
          updated_at: moment(seeded),
        };
      });
      const types = `company_id uuid, company_name text, audience text, status text, locale text, title text, period_start date,
        period_end date, compare_start date, compare_end date, created_at timestamptz, updated_at timestamptz`;
      await insert(sql, "reports", types, made, organisation);
    },
    fields: ["t.title", "t.company_name", "t.period_start::text", "t.period_end::text"],
    terms: [..."alfa,bèta,gamma,delta,epsilon,zeta,vuur,2010-01,-01-0,nergens,a,é,qz,e,%,_,\\".split(","), ...odd],
    orders: () => ({ "": "t.period_start desc, t.company_name, t.id" }),
    filters: () => [
      ["&audience=internal", "t.audience = 'internal'"],
      ["&audience=client", "t.audience = 'client'"],
    ],
    visible: (membership) => `t.company_id in (${companiesOf(membership)})`,
  },
];
export default references;
