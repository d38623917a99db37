import { query } from "../../../core/database/query.ts";
import { grantsThatMeet } from "../../../core/declare/permissions.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { leaveCaller } from "../callers.ts";
import { selfApprovalAllowed } from "../powers.ts";
import type { LeaveSources } from "../sources.ts";
import type { LeaveCase } from "./transitions.ts";

const APPROVERS = statement(`select m.account_id as id from member_access m
  where m.organisation_id = $1 and m.is_live and m.membership_id in (select h from members_holding($1, $2::text[]) h)
  order by m.account_id`);
const APPROVE = grantsThatMeet("leave.request.approve");

/** The approvers of leave, and the caller's case per person. */
export interface LeaveCases {
  /** Active members who hold `leave.request.approve`. */
  readonly approvers: readonly string[];
  /** The caller's case on one person's leave (people §6, "Two derived powers"). */
  caseOf(userId: string): LeaveCase;
}

/** Loads the approvers, and with them the caller's powers over anyone's leave. */
export async function loadCases({ settings, today }: LeaveSources): Promise<LeaveCases> {
  const rows = await query<{ id: string }>(APPROVERS, [request().organisation.id, APPROVE]);
  const approvers = rows.map(({ id }) => id);
  const caller = leaveCaller();
  return {
    approvers,
    caseOf: (user_id) => {
      const others = approvers.filter((id) => id !== user_id).length;
      return { caller, user_id, today, self_approval: selfApprovalAllowed(settings.self_approval, others) };
    },
  };
}
