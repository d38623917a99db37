import type pg from "pg";
import { GoogleSimulator } from "../../simulators/google/google.ts";
import { startService, type TestService } from "../../support/service.ts";

/** The service with a simulated Google. */
export interface WorkspaceWorld {
  service: TestService;
  google: GoogleSimulator;
  stop(): Promise<void>;
}

/** Keeps calendars from being read as soon as their people have connected: it would be among the calls that a test counts. */
const withoutCalendars = (sql: Pick<pg.ClientBase, "query">) =>
  sql.query(`create function begins_no_calendar() returns trigger language plpgsql as $$ begin return null; end $$;
    create trigger no_calendars before insert on outbox for each row when (new.job = 'workspace.calendar.start')
      execute function begins_no_calendar()`);

/**
 * @param environment settings that differ from the tests' own
 * @param calendars whether the calendars of people who connect are read
 */
export async function startWorkspace(
  environment: Record<string, string> = {},
  { calendars = false } = {},
): Promise<WorkspaceWorld> {
  const google = new GoogleSimulator();
  await google.start();
  const service = await startService({ ...google.environment, ...environment });
  if (!calendars) await withoutCalendars(service.sql);
  return {
    service,
    google,
    async stop() {
      await service.stop();
      await google.stop();
    },
  };
}
