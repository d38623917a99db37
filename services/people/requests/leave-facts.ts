import { type AutomationEntity, seenOf } from "../../../core/declare/automation.ts";
import { LeaveRequestModel } from "../models.ts";

/** The fields of a leave request that automation rules see, without notes. */
export const leaveFacts: AutomationEntity = {
  model: seenOf(LeaveRequestModel, [
    "id",
    "user_id",
    "leave_type_id",
    "status",
    "start_date",
    "end_date",
    "start_time",
    "end_time",
    "hours",
    "decided_by_user_id",
    "decided_at",
    "recurring_day_id",
    "created_at",
    "updated_at",
  ]),
};
