import { clearOld } from "../../core/clearing/clear.ts";
import { openAction } from "../../core/declare/makers/open-action.ts";
import { holds } from "../../core/declare/permissions.ts";
import type { Principal } from "../../core/declare/principal.ts";
import { forbidden, invalid, refusal } from "../../core/errors/errors.ts";
import { request } from "../../core/request/context.ts";
import { nextCursor } from "../../core/request/walk.ts";
import {
  answer,
  choice,
  field,
  instant,
  list,
  nextCursorField,
  optional,
  readInstant,
  Type,
  text,
  uuid,
} from "../../core/schema/schema.ts";
import { service } from "../../mixins/resource.ts";
import { formerLongAgo, goneLongAgo, oldGoneRows } from "./gone.due.ts";
import { type Copied, copiedKinds, goneRows, KEPT_DAYS } from "./gone-rows.ts";

const DAY = 86_400_000;

const DeletedRow = answer("DeletedRow", {
  id: field(uuid(), "The row that is gone from the list"),
  deleted_at: field(instant(), "When it was deleted or left the caller's view, UTC"),
  reason: field(
    choice(["deleted", "left_view"]),
    "`deleted` for a row that no longer exists, `left_view` for one that another client or person has now, which the caller does not see",
  ),
});
const DeletedPage = answer("Page_DeletedRow_", {
  items: field(list(DeletedRow), "The rows of this page, in the order of `deleted_at`. A row can come more than once"),
  next_cursor: nextCursorField(),
});

/** The list whose rows a caller asks for. @throws 422 for a type that is not copied, 403 without the permission of its list */
function listOf(entityType: string, { grants, selection }: Principal): Copied {
  const copied = copiedKinds().get(entityType);
  if (!copied) throw invalid({ entity_type: "errors.validation" }, { possible: [...copiedKinds().keys()].toSorted().join(", ") });
  if (!holds(grants, copied.permission) || (copied.everyClient && selection !== null)) throw forbidden();
  return copied;
}

/** The rows that copies of lists have to remove (conventions §10). */
export default service("deleted", {
  actions: {
    list: openAction({
      rest: "GET /deleted",
      summary: "List the rows that a copy of a list has to remove",
      description: `Rows of one kind that were deleted, and rows that left the view of the caller because they have another client or person now, for ${KEPT_DAYS} days. It needs the permission of the list. A copy reads it after the rows of \`updated_since\`, from the same instant.`,
      open: "each kind of record needs the permission of its own list",
      needs: "principal",
      query: {
        entity_type: {
          ...text(64),
          description: `The kind of record: ${[...copiedKinds().keys()].toSorted().join(", ")}`,
          examples: ["company"],
        },
        since: instant(),
        limit: optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
      },
      returns: DeletedPage,
      async handler(ctx) {
        const { entity_type, since, limit = 50 } = ctx.params;
        const { organisation, principal } = ctx.meta;
        const copied = listOf(entity_type, principal as Principal);
        const { walk } = request();
        const begin = readInstant(since) as string;
        if (!walk?.after && Date.parse(begin) < Date.now() - KEPT_DAYS * DAY) throw refusal("gone", "errors.sync_too_old");
        const [moment = begin, row = null] = (walk?.after ?? []) as [string?, string?];
        const found = await goneRows(copied, { organisation, principal: principal as Principal }, [moment, row], limit + 1);
        const shown = found.slice(0, limit);
        const last = found.length > limit ? shown.at(-1) : undefined;
        return {
          items: shown.map(({ id, deleted_at, reason }) => ({ id, deleted_at, reason })),
          next_cursor: nextCursor(walk, last ? [last.deleted_at, last.row] : null),
        };
      },
    }),
  },
  jobs: {
    "copies.clear": {
      about: `Removes the records of deleted rows that copies read, after ${KEPT_DAYS} days`,
      schedule: "35 3 * * *",
      due: oldGoneRows,
      spread: 20,
      handler: (run) => clearOld(run, formerLongAgo, goneLongAgo),
    },
  },
});
