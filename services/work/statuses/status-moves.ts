import type { IsoDate } from "../../../core/calendar/calendar.ts";
import { invalid } from "../../../core/errors/errors.ts";

/** The rules of a configured status for its tasks (work chapter §3.1). */
export interface StatusRules {
  readonly key: string;
  readonly position: number;
  readonly is_terminal: boolean;
  readonly is_default: boolean;
  readonly requires_interaction: boolean;
}

/** The fields of a task that the update rules read. */
export interface TaskState {
  readonly status: string;
  readonly due_date: IsoDate | null;
  readonly requires_interaction: boolean;
  readonly completed_at: string | null;
  readonly closing_interaction_id: string | null;
}

/** The keys of an update that these rules concern; omitted keys stay. */
export interface TaskPatch {
  readonly status?: string | undefined;
  readonly due_date?: IsoDate | null | undefined;
  readonly due_change_reason?: string | null | undefined;
  readonly requires_interaction?: boolean | undefined;
  readonly closing_interaction_id?: string | null | undefined;
  readonly log_time?: object | null | undefined;
}

/** The facts that the rules of an update need besides the task. */
export interface MoveFacts {
  readonly statuses: readonly StatusRules[];
  /** Whether the sent closing moment is linked to this task and visible to the team. */
  readonly closing_moment_linked: boolean;
  /** The instant of the update, as UTC text. */
  readonly now: string;
  /** Whether an automation rule makes the update, which needs neither a reason nor a closing moment (platform chapter §2.5). */
  readonly is_automated?: boolean;
}

/** The effect of an update under these rules. */
export interface TaskMove {
  readonly changes: Partial<TaskState>;
  /** A change of status, for activity and event; `finished` only when it goes from open to finished. */
  readonly status_changed: { readonly from: string; readonly to: string; readonly finished: boolean } | null;
  /** A due date moved later, for the activity. */
  readonly due_extended: { readonly from: IsoDate; readonly to: IsoDate; readonly reason: string } | null;
}

const byPlace = (one: StatusRules, other: StatusRules): number =>
  one.position - other.position || (one.key < other.key ? -1 : Number(one.key > other.key));

/** The default status: the marked one, else the first by position, then key (work chapter §3.1). Undefined without statuses. */
export function defaultStatus<S extends StatusRules>(statuses: readonly S[]): S | undefined {
  return statuses.find(({ is_default }) => is_default) ?? [...statuses].sort(byPlace)[0];
}

/** @throws 422 `status: errors.validation` for an unknown key */
function known(statuses: readonly StatusRules[], key: string): StatusRules {
  const status = statuses.find((one) => one.key === key);
  if (!status) throw invalid({ status: "errors.validation" });
  return status;
}

/** @throws 422 `status: errors.tasks_closing_interaction_required` if the status requires a closing moment and there is none */
function checkClosingMoment(entered: StatusRules, policy: boolean, closingId: string | null): void {
  const required = entered.requires_interaction || (entered.is_terminal && policy);
  if (required && closingId === null) throw invalid({ status: "errors.tasks_closing_interaction_required" });
}

/**
 * The initial status and completion time of a task: the sent status, else the default; a finished one sets `completed_at`. A new task has
 * no contact moments, so the caller cannot send a status that requires one; every task may start in the default (work chapter §3.2, §3.4).
 * @throws 422 on `status`
 */
export function initialStatus(
  sent: string | null | undefined,
  requiresInteraction: boolean,
  { statuses, now }: Pick<MoveFacts, "statuses" | "now">,
): Pick<TaskState, "status" | "completed_at"> {
  const isSent = sent !== null && sent !== undefined;
  const status = known(statuses, isSent ? sent : (defaultStatus(statuses)?.key ?? ""));
  if (isSent) checkClosingMoment(status, requiresInteraction, null);
  return { status: status.key, completed_at: status.is_terminal ? now : null };
}

/** The extension of a due date, or null if it is new, cleared, earlier or unchanged. @throws 422 on `due_change_reason` */
function extension(before: TaskState, { due_date: to, due_change_reason }: TaskPatch): TaskMove["due_extended"] {
  const from = before.due_date;
  if (from === null || to === null || to === undefined || to <= from) return null;
  const reason = due_change_reason?.trim() ?? "";
  if (reason === "") throw invalid({ due_change_reason: "errors.due_reason_required" });
  return { from, to, reason };
}

/**
 * Applies an update to a task's status, due date and closing moment (work chapter §3.4). Refusals follow the order of its table, each 422
 * on one field: an unknown status, a later due date without a reason, a closing moment not linked to the task, a status that requires one,
 * `log_time` without finishing.
 *
 * `completed_at` is set when a task goes from open to finished and cleared when it reopens; between two finished statuses it stays. Leaving
 * a finished status clears the closing moment; only an open status that itself requires one keeps the moment sent with that very update.
 */
export function taskMove(before: TaskState, patch: TaskPatch, facts: MoveFacts): TaskMove {
  const { statuses, closing_moment_linked, now, is_automated = false } = facts;
  const entered = patch.status === undefined || patch.status === before.status ? null : known(statuses, patch.status);
  const wasFinished = statuses.some(({ key, is_terminal }) => key === before.status && is_terminal);
  const finishes = entered?.is_terminal === true && !wasFinished;
  const reopens = entered?.is_terminal === false && wasFinished;

  const due_extended = is_automated ? null : extension(before, patch);
  const { closing_interaction_id: sentId } = patch;
  if (sentId && !closing_moment_linked) {
    throw invalid({ closing_interaction_id: "errors.tasks_closing_interaction_not_linked" });
  }
  const requires_interaction = patch.requires_interaction ?? before.requires_interaction;
  const held = reopens ? null : before.closing_interaction_id;
  const designated = sentId === undefined ? held : sentId;
  if (entered && !is_automated) checkClosingMoment(entered, requires_interaction, designated);
  if (patch.log_time && !finishes) throw invalid({ log_time: "errors.tasks_log_time_not_finishing" });

  const after: TaskState = {
    status: entered?.key ?? before.status,
    due_date: patch.due_date === undefined ? before.due_date : patch.due_date,
    requires_interaction,
    completed_at: finishes ? now : reopens ? null : before.completed_at,
    closing_interaction_id: reopens && !entered.requires_interaction ? null : designated,
  };
  const changed = Object.entries(after).filter(([column, value]) => value !== before[column as keyof TaskState]);
  return {
    changes: Object.fromEntries(changed),
    status_changed: entered && { from: before.status, to: entered.key, finished: finishes },
    due_extended,
  };
}
