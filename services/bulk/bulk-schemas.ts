import { answer, input, list, map, nullable, sentId, Type, uuid } from "../../core/schema/schema.ts";

/** Maximum rows per call. */
const MOST_ROWS = 200;

const ids = () => Type.Array(sentId(), { minItems: 1, maxItems: MOST_ROWS });

export const BulkUpdateRequest = input(
  "BulkUpdateRequest",
  {
    ids: ids(),
    values: map(nullable(Type.String()), { minProperties: 1 }),
  },
  {
    ids: "Records to change, each counted once",
    values: "New values by key, as text. Null clears optional fields; references are an id or an exact name",
  },
);

export const BulkDeleteRequest = input("BulkDeleteRequest", { ids: ids() }, { ids: "Records to delete, each counted once" });

const BulkActionFailure = answer(
  "BulkActionFailure",
  { id: uuid(), error: Type.String() },
  { id: "The record that was not written", error: "Why, as a translation key" },
);

export const BulkActionResult = answer(
  "BulkActionResult",
  {
    succeeded: Type.Integer(),
    failed: list(BulkActionFailure),
  },
  { succeeded: "Number of records that were written", failed: "Records that were not, those not found first" },
);
