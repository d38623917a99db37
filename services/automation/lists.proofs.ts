import type { DefineReferences } from "../../test/support/lists/answers.ts";

/** Reference results for the list of runs. The filtered rule has the id of the owner's account. Only tests load this. */
const references: DefineReferences = ({ moment, creation, insert, companiesOf, companyIds }) => [
  {
    path: "/automation/runs",
    table: "automation_runs",
    async fill(sql, organisation, { owner }, rows, seeded) {
      const { random, pick } = seeded;
      const companies = await companyIds(sql, organisation);
      const made = Array.from({ length: rows }, (_, n) => ({
        rule_id: random() < 0.1 ? owner.accountId : null,
        rule_name: `Rule ${n % 7}`,
        trigger_event: "task.created",
        entity_type: "task",
        entity_id: owner.accountId,
        company_id: random() < 0.2 ? null : pick(companies),
        status: pick(["pending", "succeeded", "failed", "skipped"]),
        identity: `${n}`,
        created_at: creation(seeded),
        updated_at: moment(seeded),
      }));
      const types =
        "rule_id uuid, rule_name text, trigger_event text, entity_type text, entity_id uuid, company_id uuid, status text, identity text, created_at timestamptz, updated_at timestamptz";
      await insert(sql, "automation_runs", types, made, organisation);
    },
    fields: [],
    terms: [],
    orders: () => ({ created_at: "t.created_at, t.id", "-created_at": "t.created_at desc, t.id desc" }),
    filters: ({ owner }) => [
      [`&rule_id=${owner.accountId}`, `t.rule_id = '${owner.accountId}'`],
      [`&entity_id=${owner.accountId}`, `t.entity_id = '${owner.accountId}'`],
      ["&status=failed", "t.status = 'failed'"],
      ["&date_from=2022-03-01", "t.created_at >= '2022-03-01' at time zone 'Europe/Amsterdam'"],
      ["&date_to=2022-02-28", "t.created_at < '2022-03-01' at time zone 'Europe/Amsterdam'"],
    ],
    visible: (membership) => `(t.company_id is null or t.company_id in (${companiesOf(membership)}))`,
  },
];
export default references;
