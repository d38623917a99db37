import { rangeBounds } from "../../core/calendar/zones.ts";
import { listing, listQuery } from "../../core/database/lists/list.ts";
import { projection } from "../../core/database/projection.ts";
import { action } from "../../core/declare/action.ts";
import { organisationZone } from "../../core/request/today.ts";
import {
  answer,
  commaList,
  commaListed,
  date,
  instant,
  json,
  nullable,
  optional,
  page,
  Type,
  uuid,
} from "../../core/schema/schema.ts";
import { resource, rowsOf } from "../../mixins/resource.ts";
import { AuditLine } from "./models.ts";

const AuditRead = answer(
  "AuditRead",
  {
    id: uuid(),
    created_at: instant(),
    action: Type.String(),
    actor_id: nullable(uuid()),
    actor_email: nullable(Type.String()),
    role_id: nullable(uuid()),
    role_key: nullable(Type.String()),
    target_account_id: nullable(uuid()),
    detail: json(),
  },
  {
    created_at: "When it happened, UTC",
    action: "What happened, such as `membership.invited`",
    actor_id: "Account that acted; null for the operator and for the system",
    actor_email: "E-mail address of that account at the time; `operator` for service access, null for the system",
    role_id: "Role concerned; null if none",
    role_key: "Key of that role; null if none",
    target_account_id: "Account concerned; null if none",
    detail: "Facts of the action, by action; never a secret",
  },
);

const shown = projection({ model: AuditLine, schema: AuditRead });
const list = listing(
  {
    table: "access_audit",
    order: "-created_at",
    sorts: { created_at: { by: "t.created_at" } },
    changed: "t.created_at",
    filters: {
      action: { type: "text[]", when: (slot) => `t.action = any(${slot})` },
      actor: { type: "uuid", when: (slot) => `t.actor_id = ${slot}` },
      created_from: { type: "timestamptz", when: (slot) => `t.created_at >= ${slot}` },
      created_before: { type: "timestamptz", when: (slot) => `t.created_at < ${slot}` },
    },
  },
  shown,
);
const { limit, offset, sort, count, updated_since } = listQuery(list.spec.sorts);
const rows = rowsOf({ model: AuditLine, projection: shown, listing: list });

export default resource("audit", {
  model: AuditLine,
  actions: {
    list: action({
      rest: "GET /settings/audit",
      summary: "List changes to roles, members, keys and sign-in, newest first",
      description: "`date_from` and `date_to` are days of the organisation's own calendar, both counted.",
      permission: "settings.roles.manage",
      query: {
        limit,
        offset,
        sort,
        count,
        updated_since,
        action: optional(commaList(500, null, { description: "Comma-separated actions" })),
        actor: optional(uuid()),
        date_from: optional(date()),
        date_to: optional(date()),
      },
      returns: page(AuditRead),
      handler(ctx) {
        const { action: actions, actor, date_from: from, date_to: to } = ctx.params;
        const zone = organisationZone();
        const filters = {
          action: commaListed(actions),
          actor,
          created_from: from && rangeBounds(from, from, zone).from,
          created_before: to && rangeBounds(to, to, zone).until,
        };
        return rows.page(ctx.params, filters);
      },
    }),
  },
});
