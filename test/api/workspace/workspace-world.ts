import { GoogleSimulator } from "../../simulators/google/google.ts";
import { startService, type TestService } from "../../support/service.ts";
import { withoutCalendars } from "../../support/workspace.ts";

/** The service with a simulated Google. */
export interface WorkspaceWorld {
  service: TestService;
  google: GoogleSimulator;
  stop(): Promise<void>;
}

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
