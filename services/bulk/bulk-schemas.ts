import { answer, input, list, map, nullable, Type, uuid } from "../../core/declare/schema.ts";

/** Rows of one call. */
const MOST_ROWS = 200;

const ids = () => Type.Array(uuid(), { minItems: 1, maxItems: MOST_ROWS });

export const BulkUpdateRequest = input("BulkUpdateRequest", {
  ids: ids(),
  values: map(nullable(Type.String()), { minProperties: 1 }),
});

export const BulkDeleteRequest = input("BulkDeleteRequest", { ids: ids() });

const BulkActionFailure = answer("BulkActionFailure", { id: uuid(), error: Type.String() });

export const BulkActionResult = answer("BulkActionResult", {
  succeeded: Type.Integer(),
  failed: list(BulkActionFailure),
});
