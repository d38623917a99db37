import type { DefineReferences } from "../../../test/support/lists/answers.ts";

/** Reference results for the list of projects. The client filter uses the id of the owner's account. */
export const projectReferences: DefineReferences = (tools) => {
  const { odd, words, long, beginning, moment, creation, insert, text, both, companiesOf, companyIds } = tools;
  return [
    {
      path: "/projects",
      table: "projects",
      async fill(sql, organisation, { owner, few, many }, rows, seeded) {
        const { random, pick } = seeded;
        const named = owner.accountId;
        await sql.query("insert into companies (id, organisation_id, name) values ($2, $1, 'Vast')", [organisation, named]);
        const companies = await companyIds(sql, organisation);
        const day = () => (random() < 0.8 ? new Date(Date.UTC(2022, 0, 1 + Math.floor(random() * 500))).toISOString() : null);
        const made = Array.from({ length: rows }, () => ({
          // The name sorts have indexes of their own, whose entries cannot hold longer names.
          name: `${beginning(seeded)} ${words(seeded)}${random() < 0.2 ? pick(odd) : random() < 0.05 ? long(seeded, 600) : ""}`,
          company_id: random() < 0.1 ? null : random() < 0.05 ? named : pick(companies),
          status: pick(["active", "on_hold", "completed", "archived"]),
          unnamed: random() < 0.1,
          start_date: day(),
          end_date: day(),
          budget_hours: random() < 0.7 ? Math.floor(random() * 200) / 4 : null,
          created_at: creation(seeded),
          updated_at: moment(seeded),
        }));
        const types =
          "name text, company_id uuid, status text, unnamed boolean, start_date date, end_date date, budget_hours numeric, created_at timestamptz, updated_at timestamptz";
        await insert(sql, "projects", types, made, organisation);
        await sql.query(
          `insert into project_assignees (organisation_id, project_id, account_id, is_primary)
           select organisation_id, id, ($2::uuid[])[1 + get_byte(uuid_send(id), 10) % 4], get_byte(uuid_send(id), 11) % 5 > 0 from projects
            where organisation_id = $1 and get_byte(uuid_send(id), 10) % 4 < 3`,
          [organisation, [owner.accountId, few.accountId, many.accountId]],
        );
      },
      fields: ["t.name"],
      terms: [..."alfa,gamma,delta,epsilon,verweg,nergens,é,qz,%,_,\\".split(","), ...odd.slice(2, 6)],
      orders: () => ({
        ...both(
          {
            status: text("t.status"),
            start_date: "t.start_date",
            end_date: "t.end_date",
            budget_hours: "t.budget_hours",
            created_at: "t.created_at",
            updated_at: "t.updated_at",
            assignee:
              text(`(select coalesce(nullif(a.full_name, ''), a.email) from project_assignees p join accounts a on a.id = p.account_id
              where p.organisation_id = t.organisation_id and p.project_id = t.id and p.is_primary)`),
          },
          `${text("t.name")}, t.id`,
          ["start_date", "end_date", "budget_hours", "assignee"],
        ),
        name: `${text("t.name")}, t.id`,
        "-name": `${text("t.name")} desc, t.id desc`,
      }),
      filters: ({ owner }, { accountId }) => [
        ["&status=on_hold", "t.status = 'on_hold'"],
        ["&status=active,archived", "t.status in ('active', 'archived')"],
        ["&unnamed=true", "t.unnamed"],
        ["&unnamed=false", "not t.unnamed"],
        [`&company_id=${owner.accountId}`, `t.company_id = '${owner.accountId}'`],
        ["&mine=true", `exists (select 1 from project_assignees p where p.project_id = t.id and p.account_id = '${accountId}')`],
      ],
      visible: (membership) => `(t.company_id is null or t.company_id in (${companiesOf(membership)}))`,
    },
  ];
};
