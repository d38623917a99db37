import type { DefineReferences } from "../../../test/support/lists/answers.ts";

/** What the list of agreements is to answer. The client and the type that are filtered by have the id of the owner's account. */
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
        const made = Array.from({ length: rows }, () => ({
          // The sort by name has an index of its own, whose entries cannot hold longer ones.
          name: `${beginning(seeded)} ${words(seeded)}${random() < 0.2 ? pick(odd) : random() < 0.05 ? long(seeded, 600) : ""}`,
          company_id: random() < 0.05 ? named : pick(companies),
          status: pick(["draft", "active", "active", "paused", "cancelled"]),
          start_date: day(1),
          next_invoice_date: random() < 0.7 ? day(31) : null,
          subscription_type_id: random() < 0.1 ? named : null,
          created_at: creation(seeded),
          updated_at: moment(seeded),
        }));
        const types =
          "name text, company_id uuid, status text, start_date date, next_invoice_date date, subscription_type_id uuid, created_at timestamptz, updated_at timestamptz";
        await insert(sql, "subscriptions", types, made, organisation);
      },
      fields: ["t.name"],
      terms: [..."alfa,gamma,delta,epsilon,verweg,nergens,é,qz,%,_,\\".split(","), ...odd.slice(2, 6)],
      orders: () => ({
        ...both(
          {
            status: text("t.status"),
            start_date: "t.start_date",
            next_invoice_date: "t.next_invoice_date",
            created_at: "t.created_at",
            updated_at: "t.updated_at",
          },
          `${text("t.name")}, t.id`,
          ["next_invoice_date"],
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
