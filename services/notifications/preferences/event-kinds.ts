/** Of what kind of record an event tells, as inbox, activity and watching name it. */
export const ENTITY_TYPES = ["task", "project", "company", "leave_request", "timesheet", "interaction"] as const;
export type EntityType = (typeof ENTITY_TYPES)[number];

/** What notifications know of one event of the catalogue. */
export interface EventOfInterest {
  /** Told at once unless a preference says otherwise, and pushed: the **I** of platform chapter §5.1. The rest is a daily digest. */
  readonly immediate: boolean;
  /** A clock told it, no person's act: without an audience it leaves no trace (§5.2). */
  readonly reminder?: true;
  /** It speaks to the people it names alone; who follows the record hears of the same act by its general event. */
  readonly personal?: true;
  /** More specific events of the same record and write: whom they name hears this one not as well (§5.2). */
  readonly outdoneBy?: readonly string[];
  /** The event is all there is to tell when one of `outdoneBy` was not told: else, without an audience, it leaves no trace. */
  readonly fallback?: true;
  /** Its record has only just been made, so it has no followers yet. */
  readonly begins?: true;
  /** Not in the matrix: no preference is asked. */
  readonly unlisted?: true;
}

const atOnce = { immediate: true } as const;
const digest = { immediate: false } as const;

/** The events people hear of, in the order of the matrix (platform chapter §5.1), then what is not in it. */
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
  "automation.notify": { ...atOnce, personal: true, unlisted: true },
  "workspace.connection_broken": { ...atOnce, personal: true, unlisted: true },
  "workspace.mail_gap": { ...atOnce, personal: true, unlisted: true },
  "uptime.monitor.down": { ...atOnce, reminder: true, personal: true, unlisted: true },
  "report.failed": { ...atOnce, reminder: true, personal: true, unlisted: true },
  "report.held": { ...atOnce, reminder: true, personal: true, unlisted: true },
};

/** The events of the matrix, in its order. */
export const MATRIX_EVENTS: readonly string[] = Object.keys(EVENTS_OF_INTEREST).filter(
  (name) => !EVENTS_OF_INTEREST[name]?.unlisted,
);

/** Events of comments: who causes one follows the task from then on, unless they chose otherwise before (§5.2). */
export const COMMENTS: readonly string[] = ["task.commented", "task.replied", "task.mentioned"];
