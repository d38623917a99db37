import { action } from "../../../../core/declare/action.ts";
import { requireMatch } from "../../../../core/http/etag.ts";
import { service } from "../../../../mixins/resource.ts";
import { requireReferences } from "../../references.ts";
import { lockSeen, writtenInteraction } from "../interaction-rows.ts";
import {
  InteractionFiling,
  InteractionRead,
  InteractionReject,
  InteractionsApprove,
  InteractionsAssign,
  InteractionsReject,
  InteractionsReviewed,
} from "../interaction-schemas.ts";
import { approve, eachMessage, reject, remap } from "./review.ts";

const REVIEW = "interactions.interaction.review";
const REFUSALS = [
  "forbidden errors.interactions_owner_only",
  "invalid_state errors.interactions_manual_no_review",
  "invalid_state errors.interactions_not_pending",
  "not_found",
] as const;

const ECHOED =
  "a message that the caller does not see is listed in `failed` like one that does not exist (contact moments §3); test/api/work/interactions/interaction-review.test.ts shows it";

/** Owners review the pending messages of their mailbox (contact moments §3, "Review"). */
export default service("interactions.review", {
  actions: {
    approve: action({
      rest: "POST /interactions/:interaction_id/approve",
      summary: "File a waiting message for the team",
      description:
        "Only the mailbox's owner can. Omitted fields keep their matched values; null clears them. If the same message was logged from another mailbox or uploaded meanwhile, the waiting copy goes and the answer is the logged contact moment.",
      permission: REVIEW,
      conditional: true,
      status: 200,
      body: InteractionFiling,
      returns: InteractionRead,
      errors: REFUSALS,
      async handler(ctx) {
        const row = await lockSeen(ctx.params.interaction_id);
        requireMatch(row.version);
        return writtenInteraction(await approve(row, ctx.params.body));
      },
    }),

    remap: action({
      rest: "POST /interactions/:interaction_id/remap",
      summary: "Change the client, project, task or contacts of a message, waiting or logged",
      permission: REVIEW,
      conditional: true,
      status: 200,
      body: InteractionFiling,
      returns: InteractionRead,
      errors: REFUSALS,
      async handler(ctx) {
        const row = await lockSeen(ctx.params.interaction_id);
        requireMatch(row.version);
        await remap(row, ctx.params.body);
        return writtenInteraction(row.id);
      },
    }),

    reject: action({
      rest: "POST /interactions/:interaction_id/reject",
      summary: "Refuse a waiting message permanently",
      description:
        "Deletes the message here and never offers it again; with `suppress_thread` later messages of its thread are not offered either. Other messages of the thread that are here stay.",
      permission: REVIEW,
      conditional: true,
      body: InteractionReject,
      errors: REFUSALS,
      async handler(ctx) {
        const row = await lockSeen(ctx.params.interaction_id);
        requireMatch(row.version);
        reject(row, ctx.params.body.suppress_thread ?? false);
      },
    }),

    approveMany: action({
      rest: "POST /interactions/review/approve",
      verb: "approve",
      summary: "File waiting messages as matched, each on its own",
      permission: REVIEW,
      status: 200,
      body: InteractionsApprove,
      returns: InteractionsReviewed,
      errors: REFUSALS,
      exceptions: { tenancy: ECHOED, selection: ECHOED },
      handler: (ctx) => eachMessage(ctx.params.body.ids, (row) => approve(row, {})),
    }),

    assignMany: action({
      rest: "POST /interactions/review/assign",
      verb: "assign",
      summary: "Change the client, project, task or contacts of messages, each on its own",
      permission: REVIEW,
      status: 200,
      body: InteractionsAssign,
      returns: InteractionsReviewed,
      errors: REFUSALS,
      exceptions: { tenancy: ECHOED, selection: ECHOED },
      async handler(ctx) {
        const { ids, ...filing } = ctx.params.body;
        // A record that the caller cannot file to fits no message: the call is refused as a whole.
        await requireReferences(filing);
        return eachMessage(ids, (row) => remap(row, filing));
      },
    }),

    rejectMany: action({
      rest: "POST /interactions/review/reject",
      verb: "reject",
      summary: "Refuse waiting messages permanently, each on its own",
      permission: REVIEW,
      status: 200,
      body: InteractionsReject,
      returns: InteractionsReviewed,
      errors: REFUSALS,
      exceptions: { tenancy: ECHOED, selection: ECHOED },
      async handler(ctx) {
        const { ids, suppress_thread: thread = false } = ctx.params.body;
        return eachMessage(ids, async (row) => reject(row, thread));
      },
    }),
  },
});
