import { query } from "../../../core/database/query.ts";
import type { Hook } from "../../../core/declare/hooks.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { reportLostReferences } from "../../../core/trail/lost-references.ts";
import { reportChange } from "../../../core/trail/record-changes.ts";
import { Subscription } from "./models.ts";

const GOING = statement("select id from subscriptions where organisation_id = $1 and company_id = $2 order by id");

/** Reports to outgoing webhooks that a client's agreements are deleted with it. */
export const agreementsGone: Hook<"company.deleting"> = async ({ company_id }) => {
  const going = await query<{ id: string }>(GOING, [request().organisation.id, company_id]);
  const ids = going.map(({ id }) => id);
  await reportLostReferences(Subscription, ids);
  reportChange("subscription", ids, "deleted");
};
