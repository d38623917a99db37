import type { DefineReferences, Reference } from "../../../test/support/lists/answers.ts";

const STATUSES = ["open", "busy", "waiting", "done"];
const OWN_CLIENT = "coalesce(t.company_id, (select p.company_id from projects p where p.id = t.project_id))";

/** Reference results for the lists of tasks. The filtered records have the id of the owner's account. */
export const taskReferences: DefineReferences = (tools) => {
  const { odd, words, long, beginning, moment, creation, insert, text, both, companiesOf, companyIds } = tools;
  const ties = "t.position, t.created_at, t.id";

  const staff: Reference = {
    path: "/tasks",
    table: "tasks",
    async fill(sql, organisation, { owner, few, many }, rows, seeded) {
      const { random, pick } = seeded;
      const named = owner.accountId;
      await sql.query(
        `with statuses as (insert into task_statuses (id, organisation_id, key, name, color, position, is_terminal, is_default)
           select gen_random_uuid(), $1, s.key, s.key, 'sky', 2 - s.n / 2, s.key = 'done', s.key = 'open'
             from unnest($3::text[]) with ordinality s(key, n)),
         labels as (insert into task_labels (id, organisation_id, name, color) values ($2, $1, 'Label', 'red')),
         contacts as (insert into contacts (id, organisation_id, first_name) values ($2, $1, 'Vast'))
         insert into projects (id, organisation_id, company_id, name)
         values ($2, $1, (select id from companies where organisation_id = $1 order by id limit 1), 'Vast')`,
        [organisation, named, STATUSES],
      );
      const companies = await companyIds(sql, organisation);
      const { rows: projects } = await sql.query("select id from projects where organisation_id = $1", [organisation]);
      const made = Array.from({ length: rows }, () => ({
        title: `${beginning(seeded)} ${words(seeded)}${random() < 0.2 ? pick(odd) : random() < 0.05 ? long(seeded, 600) : ""}`,
        company_id: random() < 0.2 ? null : random() < 0.05 ? named : pick(companies),
        project_id: random() < 0.5 ? null : random() < 0.05 ? named : pick(projects).id,
        assignee_contact_id: random() < 0.05 ? named : null,
        status: pick(STATUSES),
        priority: pick(["low", "normal", "high"]),
        due_date: random() < 0.7 ? new Date(Date.UTC(2022, 0, 1 + Math.floor(random() * 500))).toISOString() : null,
        visible_to_client: random() < 0.9,
        unnamed: random() < 0.1,
        position: Math.floor(random() * 200),
        created_at: creation(seeded),
        updated_at: moment(seeded),
      }));
      const types =
        "title text, company_id uuid, project_id uuid, assignee_contact_id uuid, status text, priority text, due_date date, visible_to_client boolean, unnamed boolean, position float8, created_at timestamptz, updated_at timestamptz";
      await insert(sql, "tasks", types, made, organisation);
      await sql.query(
        `insert into task_assignees (organisation_id, task_id, account_id, is_primary)
         select organisation_id, id, ($2::uuid[])[1 + get_byte(uuid_send(id), 10) % 4], get_byte(uuid_send(id), 11) % 5 > 0 from tasks
          where organisation_id = $1 and get_byte(uuid_send(id), 10) % 4 < 3`,
        [organisation, [owner.accountId, few.accountId, many.accountId]],
      );
      await sql.query(
        `insert into task_label_links (organisation_id, task_id, label_id)
         select organisation_id, id, $2 from tasks where organisation_id = $1 and get_byte(uuid_send(id), 12) % 20 = 0`,
        [organisation, named],
      );
    },
    fields: ["t.title"],
    terms: [..."alfa,gamma,delta,epsilon,verweg,nergens,é,qz,%,_,\\".split(","), ...odd.slice(2, 6)],
    orders: () => ({
      ...both(
        {
          title: text("t.title"),
          due_date: "t.due_date",
          priority: "array_position(array['low', 'normal', 'high'], t.priority)",
          status:
            "(select row(s.position, s.key) from task_statuses s where s.organisation_id = t.organisation_id and s.key = t.status)",
          created_at: "t.created_at",
          updated_at: "t.updated_at",
          assignee:
            text(`(select coalesce(nullif(a.full_name, ''), a.email) from task_assignees p join accounts a on a.id = p.account_id
              where p.organisation_id = t.organisation_id and p.task_id = t.id and p.is_primary)`),
        },
        ties,
        ["due_date", "assignee"],
      ),
      "": ties,
    }),
    filters: ({ owner: { accountId: named }, few }) => [
      ["&status=busy", "t.status = 'busy'"],
      ["&status=open,done", "t.status in ('open', 'done')"],
      ["&unnamed=true", "t.unnamed"],
      ["&unlinked=true", "t.company_id is null and t.project_id is null"],
      ["&due=overdue", "t.due_date is not null and t.status <> 'done'"],
      ["&due_from=2022-06-01&due_to=2022-09-30", "t.due_date between '2022-06-01' and '2022-09-30'"],
      [`&company_id=${named}`, `t.company_id = '${named}'`],
      [`&project_id=${named}`, `t.project_id = '${named}'`],
      [`&assignee_contact_id=${named}`, `t.assignee_contact_id = '${named}'`],
      [`&label_id=${named}`, `exists (select 1 from task_label_links l where l.task_id = t.id and l.label_id = '${named}')`],
      [
        `&assignee_user_id=${few.accountId}`,
        `exists (select 1 from task_assignees p where p.task_id = t.id and p.account_id = '${few.accountId}')`,
      ],
    ],
    visible: (membership) => `(${OWN_CLIENT} is null or ${OWN_CLIENT} in (${companiesOf(membership)}))`,
  };

  const client: Reference = {
    ...staff,
    asking: ["client"],
    fill: async () => {},
    visible: (membership) => `(t.visible_to_client and ${OWN_CLIENT} in (${companiesOf(membership)}))`,
  };
  return [staff, client];
};
