import type { AnswerTools, DefineReferences, Reference } from "../../test/support/lists/answers.ts";

const requests = ({ moment, creation, text, both }: AnswerTools): Reference => ({
  path: "/leave/requests",
  everyone: "&all_users=true",
  table: "leave_requests",
  async fill(sql, organisation, { owner, few, many }, rows, seeded) {
    const { random, pick } = seeded;
    await sql.query("insert into leave_types (id, organisation_id, key) values (gen_random_uuid(), $1, 'reference')", [
      organisation,
    ]);
    const made = Array.from({ length: rows }, () => {
      const day = new Date(Date.UTC(2020, 0, 1 + Math.floor(random() * 2000)));
      const last = new Date(day.getTime() + 86_400_000 * Math.floor(random() * 4));
      return {
        user_id: pick([owner, few, many]).accountId,
        status: pick(["pending", "approved", "rejected", "cancelled"]),
        start_date: day.toISOString().slice(0, 10),
        end_date: last.toISOString().slice(0, 10),
        hours: 1 + Math.floor(random() * 30),
        created_at: creation(seeded),
        updated_at: moment(seeded),
      };
    });
    await sql.query(
      `insert into leave_requests (id, organisation_id, leave_type_id, user_id, status, start_date, end_date, hours, created_at, updated_at)
       select gen_random_uuid(), $1, y.id, r.* from leave_types y, jsonb_to_recordset($2::jsonb) as r
         (user_id uuid, status text, start_date date, end_date date, hours numeric, created_at timestamptz, updated_at timestamptz)
        where y.organisation_id = $1 and y.key = 'reference'`,
      [organisation, JSON.stringify(made)],
    );
  },
  fields: [],
  terms: [],
  orders: () => ({
    ...both(
      {
        employee: text("(select coalesce(nullif(a.full_name, ''), a.email) from accounts a where a.id = t.user_id)"),
        end_date: "t.end_date",
        hours: "t.hours",
        status: "t.status",
        created_at: "t.created_at",
      },
      "t.start_date, t.id",
    ),
    start_date: "t.start_date, t.id",
    "-start_date": "t.start_date desc, t.id desc",
  }),
  filters: ({ few }) => [
    ["&year=2021", "t.start_date between '2021-01-01' and '2021-12-31'"],
    ["&status=pending", "t.status = 'pending'"],
    [`&user_id=${few.accountId}`, `t.user_id = '${few.accountId}'`],
  ],
});

/** Expected results of the list of leave requests. Only the tests load it. */
const references: DefineReferences = (tools) => [requests(tools)];
export default references;
