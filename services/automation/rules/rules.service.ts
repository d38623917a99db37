import { sinceQuery } from "../../../core/database/lists/list.ts";
import { projection } from "../../../core/database/projection.ts";
import { queryAll } from "../../../core/database/query.ts";
import { differences, queueInsert, queueRemove, queueUpdate } from "../../../core/database/write.ts";
import { action } from "../../../core/declare/action.ts";
import { conflict } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import { list } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { changesOf, trail } from "../../../core/trail/trail.ts";
import { resource, rowsOf } from "../../../mixins/resource.ts";
import { Rule } from "../models.ts";
import { ruleCatalog } from "./catalog.ts";
import { CatalogRead } from "./catalog-schemas.ts";
import { dryRun, seenByCaller } from "./dry-run.ts";
import { requireRights, requireRightsToChange } from "./rule-rights.ts";
import { DryRunRequest, DryRunResult, RuleCreate, RuleRead, RuleUpdate } from "./rule-schemas.ts";
import { checkedRule, storedActions } from "./rule-values.ts";

const shown = projection({ model: Rule, schema: RuleRead });
/** Maximum number of rules of an organisation; the list returns all of them (platform chapter §2.1). */
const MOST_RULES = 200;
const rules = rowsOf({
  model: Rule,
  projection: shown,
  whole: { order: "t.position, t.created_at, t.id", limit: MOST_RULES },
});

const TAKE_TURNS = statement("select pg_advisory_xact_lock(hashtextextended('automation rules ' || $1::uuid, 0))");
const COUNT = statement("select count(*)::int as rules from automation_rules where organisation_id = $1");

/** @throws 409 if the organisation has the maximum number of rules; of two concurrent additions, the second counts the first */
async function requireRoom(): Promise<void> {
  const { id } = request().organisation;
  const [, [counted] = []] = await queryAll([TAKE_TURNS, [id]], [COUNT, [id]]);
  if ((counted?.["rules"] as number) >= MOST_RULES) throw conflict("errors.automation_too_many_rules");
}

export default resource("automation", {
  model: Rule,
  actions: {
    catalog: action({
      rest: "GET /automation/catalog",
      summary: "Read the triggers, actions and conditions that rules can have",
      permission: "automation.rule.read",
      returns: CatalogRead,
      handler: ruleCatalog,
    }),

    list: action({
      rest: "GET /automation/rules",
      summary: "List the rules by position, at most 200",
      permission: "automation.rule.read",
      query: sinceQuery,
      returns: list(RuleRead),
      tool: {
        name: "automation_rules",
        description: "The rules that run actions on events, by position.",
        inArea: true,
        takes: [],
      },
      handler: ({ params: { updated_since } }) => rules.all({ updated_since }),
    }),

    create: action({
      rest: "POST /automation/rules",
      summary: "Add a rule",
      description:
        "Saving a rule authorises it: its actions run with the rights of the system. So it needs the permission of each of its actions, else 403 with the missing ones in `details`.",
      permission: "automation.rule.write",
      everyClient: true,
      body: RuleCreate,
      example: {
        name: "Nieuwe klant: kennismaking plannen",
        trigger_event: "company.status_changed",
        conditions: { field: "to", op: "eq", value: "onboarding" },
        actions: [{ action_type: "task.create", config: { title: "Kennismakingsgesprek plannen", priority: "high" } }],
      },
      returns: RuleRead,
      errors: ["conflict errors.automation_too_many_rules", "validation errors.inactive_member"],
      async handler(ctx) {
        const { body } = ctx.params;
        requireRights({ actions: [], ...body });
        const { conditions } = await checkedRule(body);
        await requireRoom();
        const id = queueInsert(Rule, { ...body, conditions, actions: storedActions(body.actions ?? []) });
        trail("automation_rule", id, "created", { name: body.name });
        return rules.answerWith(id);
      },
    }),

    get: action({
      rest: "GET /automation/rules/:rule_id",
      summary: "Read one rule",
      permission: "automation.rule.read",
      returns: RuleRead,
      handler: (ctx) => rules.one(ctx.params.rule_id),
    }),

    update: action({
      rest: "PATCH /automation/rules/:rule_id",
      summary: "Change a rule; sent actions replace all of them",
      description:
        "Needs the permission of each action that the rule then has, as adding it does. Switching it off, with `enabled` false alone, needs none of them.",
      permission: "automation.rule.write",
      everyClient: true,
      body: RuleUpdate,
      example: { enabled: false },
      returns: RuleRead,
      async handler(ctx) {
        const { rule_id: id, body } = ctx.params;
        const before = await rules.forWrite(id);
        requireRightsToChange(before, body);
        const { conditions } = await checkedRule(body, before);
        const actions = body.actions && storedActions(body.actions, before.actions);
        const changed = differences(before, { ...body, conditions, actions });
        if (!changed) return rules.answerWith(id);
        queueUpdate(Rule, id, changed);
        // The trail omits the content of conditions and actions: an address may contain a secret.
        const replaced = (["conditions", "actions"] as const).filter((name) => name in changed);
        trail("automation_rule", id, "updated", { changes: changesOf(Rule.tracked, before, changed), replaced });
        return rules.answerWith(id);
      },
    }),

    remove: action({
      rest: "DELETE /automation/rules/:rule_id",
      summary: "Delete a rule; its runs stay listed",
      permission: "automation.rule.write",
      everyClient: true,
      async handler(ctx) {
        const id = ctx.params.rule_id;
        const { name } = await rules.forWrite(id);
        queueRemove(Rule, id);
        trail("automation_rule", id, "deleted", { name });
      },
    }),

    dryRun: action({
      rest: "POST /automation/dry-run",
      summary: "Try an unsaved rule on a record; no action runs",
      description: "If the record is missing, the conditions compare only the payload.",
      permission: "automation.rule.write",
      body: DryRunRequest,
      example: {
        trigger_event: "company.status_changed",
        conditions: { field: "to", op: "eq", value: "onboarding" },
        actions: [{ action_type: "task.create", config: { title: "Kennismakingsgesprek plannen", priority: "high" } }],
        entity_id: "b581ef92-0c1e-4a5b-8d2f-b581ef920001",
        payload: { to: "onboarding" },
      },
      returns: DryRunResult,
      status: 200,
      prepare: (ctx) => seenByCaller(ctx, ctx.params.body),
      handler: (ctx) => dryRun(ctx.params.body),
    }),
  },
});
