import { job, type OrganisationRun, schedule, scheduleAll } from "../../../../core/jobs/jobs.ts";
import { service } from "../../../../mixins/resource.ts";
import { unfinishedMirrors } from "../calendars.due.ts";
import { oneByOne, WRITE_JOB } from "../pull-jobs.ts";
import { spread } from "../spread.ts";
import { forgetOldMirrors, type MirroredChange, queueMirror, waitingOwners } from "./mirror-rows.ts";
import { writeCalendar } from "./mirroring.ts";

/** A mirror is a write, so it depends on the licence of this module. */
const module = "workspace";

/** Queues the event of a changed record and schedules writes to the affected calendars. */
const queue = (run: OrganisationRun, change: MirroredChange): Promise<void> =>
  run.write(async () => {
    for (const accountId of await queueMirror(change)) schedule(WRITE_JOB, { account_id: accountId }, oneByOne(accountId));
  });

const leave = (isApproved: boolean) => ({
  module,
  handler: ({ payload }: { payload: { leave_request_id: string; user_id: string } }, run: OrganisationRun) =>
    queue(run, { kind: "leave", sourceId: payload.leave_request_id, owner: isApproved ? payload.user_id : null }),
});

/** Writes approved leave, exceptions to working weeks and planned blocks to people's calendars (workspace §2.3). */
export default service("workspace.mirror", {
  actions: {},
  subscribe: {
    "leave.approved": leave(true),
    "leave.updated": leave(true),
    "leave.requested": leave(false),
    "leave.rejected": leave(false),
    "leave.cancelled": leave(false),
    "availability.saved": {
      module,
      handler: ({ payload: { availability_id, user_id } }, run) =>
        queue(run, { kind: "availability", sourceId: availability_id, owner: user_id }),
    },
    "availability.gone": {
      module,
      handler: ({ payload: { availability_id } }, run) =>
        queue(run, { kind: "availability", sourceId: availability_id, owner: null }),
    },
    "schedule.saved": {
      module,
      handler: ({ payload: { schedule_id, user_id } }, run) =>
        queue(run, { kind: "schedule", sourceId: schedule_id, owner: user_id }),
    },
    "schedule.gone": {
      module,
      handler: ({ payload: { schedule_id } }, run) => queue(run, { kind: "schedule", sourceId: schedule_id, owner: null }),
    },
  },
  jobs: {
    [WRITE_JOB]: job<{ account_id: string }>({
      about: "Writes the pending events of one person's calendar",
      module,
      timeout: 300_000,
      handler: (run) => writeCalendar(run, run.payload.account_id),
    }),
    "workspace.calendar.sweep": {
      about: "Finds pending calendar writes, and deletes events that were removed long ago",
      module,
      schedule: "*/5 * * * *",
      due: unfinishedMirrors,
      handler: (run) =>
        run.write(async () => {
          const jobs = spread(await waitingOwners(), Date.now(), (id) => ({ payload: { account_id: id }, ...oneByOne(id) }));
          scheduleAll(WRITE_JOB, jobs);
          forgetOldMirrors();
        }),
    },
  },
});
