import { queryOne } from "../../../core/database/query.ts";
import { queueInsert } from "../../../core/database/write.ts";
import type { DemoOrganisation } from "../../../core/declare/module.ts";
import { systemRequest } from "../../../core/request/system.ts";
import { statement } from "../../../core/sql/statement.ts";
import { demoIds } from "../../../core/values/demo-ids.ts";
import { inTenancy } from "../../../mixins/tenancy.ts";
import { Rule } from "../models.ts";
import { checkedRule, type SentAction, storedActions } from "../rules/rule-values.ts";

const BUSY = statement("select 1 from automation_rules where organisation_id = $1 limit 1");
const OWNER = statement(`select m.account_id as id from memberships m join accounts a on a.id = m.account_id
  where m.organisation_id = $1 and a.email = $2`);

interface DemoRule {
  readonly name: string;
  readonly trigger_event: string;
  readonly conditions: Readonly<Record<string, unknown>>;
  readonly actions: readonly SentAction[];
}

/** Three typical rules of an agency: about a new client, a task and a domain. */
const rulesFor = (owner: string): readonly DemoRule[] => [
  {
    name: "Nieuwe klant: kennismaking plannen",
    trigger_event: "company.status_changed",
    conditions: { field: "to", op: "eq", value: "onboarding" },
    actions: [{ action_type: "task.create", config: { title: "Kennismakingsgesprek plannen", priority: "high" } }],
  },
  {
    name: "Spoedtaak klaar: meld het",
    trigger_event: "task.status_changed",
    conditions: {
      all: [
        { field: "finished", op: "eq", value: true },
        { field: "priority", op: "eq", value: "high" },
      ],
    },
    actions: [{ action_type: "notification.send", config: { message: "Een taak met spoed is afgerond.", user_ids: [owner] } }],
  },
  {
    name: "Domein verlopen: klant bellen",
    trigger_event: "domain.status_changed",
    conditions: { field: "to", op: "in", value: ["expired", "inactive"] },
    actions: [{ action_type: "task.create", config: { title: "Klant bellen over verlopen domein", assignee_user_id: owner } }],
  },
];

/** Adds rules to the demo organisation unless it has any. */
export async function fillAutomation({ organisation, owner }: Pick<DemoOrganisation, "organisation" | "owner">): Promise<void> {
  await inTenancy(
    () => systemRequest("seed", organisation, "write"),
    async () => {
      if (await queryOne(BUSY, [organisation.id])) return;
      const person = await queryOne<{ id: string }>(OWNER, [organisation.id, owner]);
      if (!person) return;
      const ids = demoIds(organisation);
      for (const [position, { actions, ...rule }] of rulesFor(person.id).entries())
        queueInsert(Rule, {
          id: ids("automation/rules"),
          position,
          name: rule.name,
          trigger_event: rule.trigger_event,
          ...(await checkedRule({ ...rule, actions })),
          actions: storedActions(actions),
        });
    },
  );
}
