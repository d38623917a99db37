import type { DefineReferences } from "../../../test/support/lists/answers.ts";

const TYPES = ["bureau", "onderweg"];
const OWN_CLIENT = `coalesce(t.company_id, (select p.company_id from projects p where p.id = t.project_id),
  (select coalesce(k.company_id, p.company_id) from tasks k left join projects p on p.id = k.project_id where k.id = t.task_id))`;

/** Reference results for the list of time entries. The filtered records have the id of the owner's account. */
export const timeReferences: DefineReferences = (tools) => {
  const { beginning, moment, creation, insert, text, both, companiesOf, companyIds } = tools;
  const person = (column: string) =>
    text(`(select coalesce(nullif(a.full_name, ''), a.email) from accounts a where a.id = t.${column})`);
  /** A record hidden from the member has no name to sort by. */
  const seen = (membership: string | null, client: string) =>
    membership === null ? "" : ` and (${client} is null or ${client} in (${companiesOf(membership)}))`;
  return [
    {
      path: "/time/entries",
      everyone: "&all_users=true",
      table: "time_entries",
      async fill(sql, organisation, { owner, few, many }, rows, seeded) {
        const { random, pick } = seeded;
        const named = owner.accountId;
        await sql.query(
          `with types as (insert into time_entry_types (id, organisation_id, key) select gen_random_uuid(), $1, unnest($3::text[]))
           insert into tasks (id, organisation_id, title, status) values ($2, $1, 'Vast', 'open')`,
          [organisation, named, TYPES],
        );
        const companies = await companyIds(sql, organisation);
        const idsOf = async (table: string): Promise<string[]> => {
          const found = await sql.query<{ id: string }>(`select id from ${table} where organisation_id = $1`, [organisation]);
          return found.rows.map(({ id }) => id);
        };
        const [projects, tasks] = [await idsOf("projects"), await idsOf("tasks")];
        const people = [owner, few, many].map(({ accountId }) => accountId);
        /** A record for a share of the entries, occasionally the filtered one. */
        const some = (ids: string[], share: number) => (random() < share ? (random() < 0.1 ? named : pick(ids)) : null);
        const made = Array.from({ length: rows }, (_, n) => {
          const start = Date.UTC(2022, 0, 1) + Math.floor(random() * 4000) * 3_600_000;
          const minutes = Math.floor(random() * 100);
          const approved = random() < 0.5 ? creation(seeded) : null;
          return {
            user_id: people[n % people.length],
            work_date: new Date(start).toLocaleDateString("sv", { timeZone: "Europe/Amsterdam" }),
            started_at: new Date(start).toISOString(),
            // Each person has one running timer.
            ended_at: n < people.length ? null : new Date(start + minutes * 60_000).toISOString(),
            minutes: n < people.length ? 0 : minutes,
            billable: random() < 0.6,
            company_id: some(companies, 0.5),
            project_id: some(projects, 0.5),
            task_id: some(tasks, 0.6),
            entry_type_key: random() < 0.8 ? pick(TYPES) : null,
            approved_at: approved,
            approved_by_user_id: approved && pick(people),
            invoiced_at: approved && random() < 0.5 ? creation(seeded) : null,
            description: random() < 0.7 ? beginning(seeded) : null,
            created_at: creation(seeded),
            updated_at: moment(seeded),
          };
        });
        const types = `user_id uuid, work_date date, started_at timestamptz, ended_at timestamptz, minutes int, billable boolean, company_id uuid,
          project_id uuid, task_id uuid, entry_type_key text, approved_at timestamptz, approved_by_user_id uuid, invoiced_at timestamptz,
          description text, created_at timestamptz, updated_at timestamptz`;
        await insert(sql, "time_entries", types, made, organisation);
      },
      fields: [],
      terms: [],
      orders: (membership) => ({
        ...both(
          {
            employee: person("user_id"),
            company: text(`(select x.name from companies x where x.id = t.company_id${seen(membership, "x.id")})`),
            project: text(`(select x.name from projects x where x.id = t.project_id${seen(membership, "x.company_id")})`),
            task: text(
              `(select x.title from tasks x where x.id = t.task_id${seen(
                membership,
                "coalesce(x.company_id, (select y.company_id from projects y where y.id = x.project_id))",
              )})`,
            ),
            description: text("t.description"),
            minutes: "t.minutes",
            billable: "t.billable",
            approver: person("approved_by_user_id"),
            approved_at: "t.approved_at",
            invoiced_at: "t.invoiced_at",
          },
          "t.started_at desc, t.id",
          ["company", "project", "task", "description", "approver", "approved_at", "invoiced_at"],
        ),
        date: "t.started_at, t.id",
        "-date": "t.started_at desc, t.id desc",
      }),
      filters: ({ owner: { accountId: named }, few }) => [
        [`&user_id=${few.accountId}`, `t.user_id = '${few.accountId}'`],
        [`&company_id=${named}`, `t.company_id = '${named}'`],
        [`&project_id=${named}`, `t.project_id = '${named}'`],
        [`&task_id=${named}`, `t.task_id = '${named}'`],
        ["&date_from=2022-03-01", "t.work_date >= '2022-03-01'"],
        ["&date_to=2022-03-31", "t.work_date <= '2022-03-31'"],
        ["&entry_type=bureau", "t.entry_type_key = 'bureau'"],
        ["&running=true", "t.ended_at is null"],
        ["&running=false", "t.ended_at is not null"],
      ],
      visible: (membership) => `(${OWN_CLIENT} is null or ${OWN_CLIENT} in (${companiesOf(membership)}))`,
    },
  ];
};
