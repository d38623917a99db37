import type { AnswerTools, DefineReferences, Reference } from "../../../test/support/lists/answers.ts";

const INVOICES = ["draft", "open", "paid", "cancelled"];
const QUOTES = ["draft", "open", "accepted", "rejected", "expired", "invoiced"];

/**
 * The id of the filtered client: the owner's account id with another version digit, so that it matches no account: other lists use the
 * account id itself.
 */
const clientOf = ({ accountId }: { accountId: string }, table: string): string =>
  `${accountId.slice(0, 14)}${table === "invoices" ? "1" : "2"}${accountId.slice(15)}`;

/** The shared reference of invoices and quotes. @param more sorts of only one of them */
function documents(
  tools: AnswerTools,
  table: "invoices" | "quotes",
  day: "due_date" | "valid_until",
  more: Record<string, string> = {},
): Reference {
  const { odd, words, long, beginning, moment, creation, insert, text, both, companiesOf, companyIds } = tools;
  return {
    path: `/invoicing/${table}`,
    table,
    async fill(sql, organisation, { owner }, rows, seeded) {
      const { random, pick } = seeded;
      const named = clientOf(owner, table);
      await sql.query("insert into companies (id, organisation_id, name) values ($2, $1, 'Vast')", [organisation, named]);
      const companies = await companyIds(sql, organisation);
      const date = () =>
        random() < 0.8 ? new Date(Date.UTC(2022, 0, 1 + Math.floor(random() * 500))).toISOString().slice(0, 10) : null;
      const made = Array.from({ length: rows }, (_, n) => ({
        // Drafts can lack a number; all other numbers are unique.
        number: random() < 0.9 ? `${pick(["2024-", "F", "f", "Q"])}${n}` : null,
        reference:
          random() < 0.9
            ? `${beginning(seeded)} ${words(seeded)}${random() < 0.2 ? pick(odd) : random() < 0.05 ? long(seeded, 600) : ""}`
            : null,
        company_id: random() < 0.05 ? named : pick(companies),
        status: pick(table === "invoices" ? INVOICES : QUOTES),
        currency: "EUR",
        locale: "nl",
        issue_date: date(),
        [day]: date(),
        total: Math.floor(random() * 400) / 4 - 20,
        created_at: creation(seeded),
        updated_at: moment(seeded),
        ...(table === "invoices" && { kind: random() < 0.2 ? "credit_note" : "invoice" }),
      }));
      const numbered = made.map((one) => ({ ...one, status: one.number === null ? "draft" : one.status }));
      const types = `number text, reference text, company_id uuid, status text, currency text, locale text, issue_date date, ${day} date,
        total numeric, created_at timestamptz, updated_at timestamptz${table === "invoices" ? ", kind text" : ""}`;
      await insert(sql, table, types, numbered, organisation);
    },
    fields: ["t.number", "t.reference"],
    terms: [..."alfa,gamma,delta,epsilon,verweg,nergens,2024-1,f12,é,qz,%,_,\\".split(","), ...odd.slice(2, 6)],
    orders: () => ({
      ...both(
        {
          number: text("t.number"),
          status: text("t.status"),
          issue_date: "t.issue_date",
          [day]: `t.${day}`,
          total: "t.total",
          ...more,
        },
        "t.created_at desc, t.id",
        ["number", "issue_date", day, "company"],
      ),
      created_at: "t.created_at, t.id",
      "-created_at": "t.created_at desc, t.id desc",
    }),
    filters: ({ owner }) => [
      ["&status=open", "t.status = 'open'"],
      ["&status=nothing", "false"],
      [`&company_id=${clientOf(owner, table)}`, `t.company_id = '${clientOf(owner, table)}'`],
    ],
    visible: (membership) => `t.company_id in (${companiesOf(membership)})`,
  };
}

/** Reference answers for the lists of documents. */
export const documentReferences: DefineReferences = (tools) => {
  const invoices = documents(tools, "invoices", "due_date", {
    outstanding: "t.outstanding",
    company: tools.text("(select c.name from companies c where c.id = t.company_id)"),
  });
  return [
    {
      ...invoices,
      filters: (callers, asking) => [
        ...invoices.filters(callers, asking),
        ["&kind=credit_note", "t.kind = 'credit_note'"],
        ["&overdue=true", "t.status = 'open' and t.due_date < current_date"],
        ["&overdue=false&lines=false", "true"],
      ],
    },
    documents(tools, "quotes", "valid_until"),
  ];
};
