import { columns, type RowOf } from "../../../core/database/model.ts";
import { query } from "../../../core/database/query.ts";
import { queueUpdate } from "../../../core/database/write.ts";
import type { Hook } from "../../../core/declare/hooks.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { trail } from "../../../core/trail/trail.ts";
import { Rule } from "../models.ts";
import { actionsFor, namesPerson } from "./named-people.ts";

const NAMING = statement(`select ${columns(Rule, "t")} from automation_rules t
  where t.organisation_id = $1 and ${namesPerson("$2::uuid")} order by t.id for update`);

/** Rules that name a member name a colleague from then on. */
export const handOverRules: Hook<"membership.handing_over"> = async ({ from, to, moved }) => {
  const rules = await query<RowOf<typeof Rule>>(NAMING, [request().organisation.id, from]);
  for (const { id, actions } of rules) {
    queueUpdate(Rule, id, { actions: actionsFor(actions, from, to) });
    trail("automation_rule", id, "updated", { changes: {}, replaced: ["actions"] });
  }
  moved.push({ kind: "rule", count: rules.length });
};
