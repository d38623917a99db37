import type { BulkEntity } from "../../../core/bulk/entity.ts";
import { lockSeen, lockThoseSeen } from "./interaction-rows.ts";
import { removeInteraction } from "./messages/review.ts";

/** Many contact moments at once (platform §3). Each takes its conversation with it, so that a second message of one is gone already. */
export const interactionsInBulk: BulkEntity = {
  plural: "contact moments",
  seen: lockThoseSeen,
  remove: async (id) => removeInteraction(await lockSeen(id)),
};
