import { namedValues } from "../../../core/naming/named-values.ts";

/** Kinds of records that events concern, as inbox, activity and watching name them. */
export const ENTITY_TYPES = namedValues("FollowedKind", [
  "task",
  "project",
  "company",
  "leave_request",
  "timesheet",
  "interaction",
]);
export type EntityType = (typeof ENTITY_TYPES)[number];

/** How notifications treat one catalogue event. */
export interface EventOfInterest {
  /** Notified at once, and pushed, unless a preference differs: the **I** of platform chapter §5.1. The rest goes into a daily digest. */
  readonly immediate: boolean;
  /** A schedule raised it, not a person: without an audience nothing is stored (§5.2). */
  readonly reminder?: true;
  /** Only for the people it names; followers receive the general event of the same act. */
  readonly personal?: true;
  /** More specific events of the same record and write: their recipients do not also receive this one (§5.2). */
  readonly outdoneBy?: readonly string[];
  /** Stored without an audience only if none of `outdoneBy` occurred. */
  readonly fallback?: true;
  /** Its record is new, so it has no followers yet. */
  readonly begins?: true;
  /** Not in the matrix: no preference applies. */
  readonly unlisted?: true;
}

const atOnce = { immediate: true } as const;
const digest = { immediate: false } as const;

/** The events that notify people, in the order of the matrix (platform chapter §5.1), then the unlisted ones. */
export const EVENTS_OF_INTEREST: Readonly<Record<string, EventOfInterest>> = {
  "task.assigned": atOnce,
  "task.unassigned": digest,
  "task.status_changed": { ...digest, outdoneBy: ["task.assigned", "task.unassigned"] },
  "task.commented": { ...digest, outdoneBy: ["task.mentioned", "task.replied"], fallback: true },
  "task.replied": { ...atOnce, personal: true, outdoneBy: ["task.mentioned"] },
  "task.mentioned": { ...atOnce, personal: true },
  "task.due_soon": { ...digest, reminder: true },
  "task.overdue": { ...atOnce, reminder: true },
  "task.scheduled": atOnce,
  "project.assigned": atOnce,
  "project.status_changed": { ...digest, outdoneBy: ["project.assigned"] },
  "project.budget_threshold": { ...digest, reminder: true },
  "company.created": { ...digest, begins: true },
  "company.status_changed": { ...digest, outdoneBy: ["company.assigned"] },
  "company.assigned": atOnce,
  "leave.requested": atOnce,
  "leave.approved": atOnce,
  "leave.rejected": atOnce,
  "time.entry_approved": digest,
  "time.timesheet_reminder": { ...digest, reminder: true },
  "interactions.email_pending": { ...atOnce, personal: true },
  "interactions.mentioned": { ...atOnce, personal: true },
  "task.unblocked": { ...atOnce, personal: true, unlisted: true },
  "task.left_unassigned": { ...atOnce, reminder: true, personal: true, unlisted: true },
  "project.left_unassigned": { ...atOnce, reminder: true, personal: true, unlisted: true },
  "automation.notify": { ...atOnce, personal: true, unlisted: true },
  "workspace.connection_broken": { ...atOnce, personal: true, unlisted: true },
  "workspace.mail_gap": { ...atOnce, personal: true, unlisted: true },
  "workspace.event_restored": { ...atOnce, reminder: true, personal: true, unlisted: true },
  "uptime.monitor.down": { ...atOnce, reminder: true, personal: true, unlisted: true },
  "uptime.monitor.up": { ...atOnce, reminder: true, personal: true, unlisted: true },
  "uptime.monitor.flapping": { ...atOnce, reminder: true, personal: true, unlisted: true },
  "uptime.instance.unreachable": { ...atOnce, reminder: true, personal: true, unlisted: true },
  "report.failed": { ...atOnce, reminder: true, personal: true, unlisted: true },
  "report.held": { ...atOnce, reminder: true, personal: true, unlisted: true },
};

/** The events of the matrix, in its order. */
export const MATRIX_EVENTS: readonly string[] = Object.keys(EVENTS_OF_INTEREST).filter(
  (name) => !EVENTS_OF_INTEREST[name]?.unlisted,
);

/** Comment events: their actor follows the task from then on, unless they chose otherwise before (§5.2). */
export const COMMENTS: readonly string[] = ["task.commented", "task.replied", "task.mentioned"];
