import { clearOld } from "../../../core/clearing/clear.ts";
import { runtime } from "../../../core/config/runtime.ts";
import { sinceQuery } from "../../../core/database/lists/list.ts";
import { jsonArray } from "../../../core/database/projection.ts";
import { queryOne } from "../../../core/database/query.ts";
import { action } from "../../../core/declare/action.ts";
import { catalogue } from "../../../core/declare/catalogue/catalogue.ts";
import { internal } from "../../../core/declare/makers/internal.ts";
import { holds } from "../../../core/declare/permissions.ts";
import { forbidden, isApiError } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import { list, optional, readInstant, Type, text, uuid } from "../../../core/schema/schema.ts";
import { JsonText } from "../../../core/sql/json-text.ts";
import { type Statement, statement } from "../../../core/sql/statement.ts";
import { Activity, newestLines, trailProjection } from "../../../core/trail/trail.ts";
import { resource } from "../../../mixins/resource.ts";
import { ActivityItem } from "../contacts/contact-schemas.ts";
import { oldLines } from "./trail.due.ts";

/** Trail lines in a company's panel (clients chapter §3.8). */
const IN_PANEL = 10;
const NONE = new JsonText("[]");

let compiled: Promise<Statement> | undefined;
/** Compiles the feed of a record; the modules supply the names of the records that its lines mention. */
async function compile(): Promise<Statement> {
  const kinds = [...catalogue().records.values()].flatMap(({ namedInTrail }) => namedInTrail ?? []);
  const named = await Promise.all(kinds.map((load) => load()));
  const lines = newestLines({
    type: "$2",
    id: "$3",
    most: "$4",
    when: "($5::timestamptz is null or created_at >= $5::timestamptz)",
  });
  return statement(`select ${jsonArray(trailProjection(ActivityItem, named).rows(lines, "$6::uuid[]"))} as items`);
}

async function feed(entityType: string, entityId: string, limit: number, since: string | null): Promise<JsonText> {
  const { organisation, principal } = request();
  compiled ??= compile();
  const values = [organisation.id, entityType, entityId, limit, since, principal?.selection ?? null];
  const row = await queryOne<{ items: string }>(await compiled, values);
  return new JsonText(row?.items ?? "[]");
}

export default resource("activity", {
  model: Activity,
  actions: {
    list: action({
      rest: "GET /activity",
      summary: "What happened to a record, newest first",
      description:
        "Also needs the record's own read permission. Empty for a record without trail or outside of the caller's view. Texts of other records that the caller does not see are null.",
      permission: "activity.read",
      query: {
        entity_type: text(30),
        entity_id: uuid(),
        limit: optional(Type.Integer({ minimum: 1, maximum: 50, default: 20 })),
        ...sinceQuery,
      },
      returns: list(ActivityItem),
      async handler(ctx) {
        const { entity_type: entityType, entity_id: id, limit = 20, updated_since: since } = ctx.params;
        const { principal } = ctx.meta;
        const { trail, readers, seen } = catalogue().records.get(entityType) ?? {};
        if (!trail || !readers) return NONE;
        if (!holds(principal?.grants ?? [], readers.permission)) throw forbidden();
        if (principal?.isClientLogin) return NONE;
        const isOwn = principal?.accountId === id.toLowerCase();
        const isPrivate = readers.own !== undefined && !holds(principal?.grants ?? [], `${readers.permission}:any`);
        if (readers.own === "person" && isPrivate && !isOwn) return NONE;
        // Without a selection nothing else is hidden, not even a deleted record: its trail outlives it.
        if ((principal?.selection || isPrivate) && seen && readers.own !== "person") {
          const [action, parameter] = seen;
          const found = await ctx.call(action, { [parameter]: id }).catch((error: unknown) => {
            if (isApiError(error) && error.code === 404) return null;
            throw error;
          });
          if (!found) return NONE;
        }
        return feed(entityType, id, limit, since === undefined ? null : readInstant(since));
      },
    }),

    panel: internal({
      summary: "The latest lines of a company's trail",
      permission: "activity.read",
      contributes: { panel: { entity: "company", key: "activity.trail", position: 90 } },
      async handler(ctx) {
        const { company_id: id } = ctx.params;
        const found = ctx.meta.principal?.isClientLogin ? NONE : await feed("company", id, IN_PANEL, null);
        return { items: found.parse() };
      },
    }),
  },

  jobs: {
    "activity.clear": {
      about: "Removes lines of the trail that are older than the operator keeps them",
      when: () => runtime().config.trailDays !== undefined,
      schedule: "25 2 * * *",
      worksOn: ["activity"],
      spread: 30,
      licenceExempt: "the operator decides how long rows are kept, whatever the plan",
      handler: (run) => clearOld(run, oldLines),
    },
  },
});
