import type { BulkEntity } from "../../../core/bulk/entity.ts";
import { lockSeen, lockThoseSeen } from "./interaction-rows.ts";
import { removeInteraction } from "./messages/review.ts";

/** Bulk changes of contact moments (platform §3). Deleting one deletes its conversation, so a second message of it is already gone. */
export const interactionsInBulk: BulkEntity = {
  plural: "contact moments",
  seen: lockThoseSeen,
  remove: async (id) => removeInteraction(await lockSeen(id)),
};
