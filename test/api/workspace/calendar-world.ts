import { jobsOf } from "../../../mixins/jobs.ts";
import type { PersonCalendar } from "../../simulators/google/calendar-state.ts";
import type { GooglePersonRecord } from "../../simulators/google/grants.ts";
import { holdSchedules, settled } from "../../support/jobs.ts";
import type { Caller, Tenant } from "../../support/service.ts";
import { type Connecting, configureWorkspace, connected, type Workspace } from "../../support/workspace.ts";
import { startWorkspace, type WorkspaceWorld } from "./workspace-world.ts";

/** A person who has connected, with the calendar at the simulated Google. */
export interface Colleague {
  caller: Caller;
  person: GooglePersonRecord;
  calendar: PersonCalendar;
}

export interface CalendarWorld extends WorkspaceWorld {
  /** A new organisation with everything switched on. */
  organisation(values?: { timezone?: string }): Promise<{ tenant: Tenant; workspace: Workspace }>;
  /** Connects a new member; the calendar has been read when this is over. @param fill puts events there before */
  colleague(tenant: Tenant, fill?: (calendar: PersonCalendar) => void, how?: Connecting): Promise<Colleague>;
  /** Lets everything that is due come to its end. */
  settle(): Promise<void>;
  /** The feed of a person. */
  feed(caller: Caller, from: string, to: string): Promise<{ id: string; title: string; [field: string]: unknown }[]>;
  /** Requests to the calendar so far, as `GET`, `POST`, and so on, with the path after `events`. */
  asked(): string[];
}

/** The service with calendars that are read; no schedule fires automatically. */
export async function startCalendars(environment: Record<string, string> = {}): Promise<CalendarWorld> {
  const world = await startWorkspace(environment, { calendars: true });
  const { service, google } = world;
  await jobsOf(service.node.broker).ready();
  await holdSchedules(service, "workspace.%");
  const settle = () => settled(service);
  return {
    ...world,
    settle,
    async organisation({ timezone } = {}) {
      const tenant = await service.tenant();
      if (timezone)
        await service.sql.query("update organisations set timezone = $2 where id = $1", [tenant.organisation.id, timezone]);
      return { tenant, workspace: await configureWorkspace(google, tenant) };
    },
    async colleague(tenant, fill, how) {
      const caller = await tenant.member("member");
      const person = how?.person ?? google.state.person(`${caller.accountId}@example.com`);
      const calendar = google.calendar.of(person);
      fill?.(calendar);
      await connected(google, caller, { ...how, person });
      await settle();
      return { caller, person, calendar };
    },
    async feed(caller, from, to) {
      const { status, body, text } = await caller.get(`/workspace/calendar/events?date_from=${from}&date_to=${to}`);
      if (status !== 200) throw new Error(`no feed: ${status} ${text}`);
      return body;
    },
    asked: () => google.calls("calendar").map((call) => call.replace("/calendar/v3/calendars/primary/events", "")),
  };
}
