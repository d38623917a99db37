import { GoogleSimulator } from "../../simulators/google/google.ts";
import { startService, type TestService } from "../../support/service.ts";
import { withoutCalendars } from "../../support/workspace.ts";

/** The service with a simulated Google. */
export interface WorkspaceWorld {
  service: TestService;
  google: GoogleSimulator;
  stop(): Promise<void>;
}

interface StartOptions {
  /** Whether the calendars of people who connect are read. */
  calendars?: boolean;
  /** Starts what else is called, and gives its settings. */
  beside?(google: GoogleSimulator): Promise<Record<string, string>>;
}

/**
 * @param environment settings that differ from the tests' own
 */
export async function startWorkspace(
  environment: Record<string, string> = {},
  { calendars = false, beside = async () => ({}) }: StartOptions = {},
): Promise<WorkspaceWorld> {
  const google = new GoogleSimulator();
  await google.start();
  const service = await startService({ ...google.environment, ...(await beside(google)), ...environment });
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
