import { GoogleSimulator } from "../../simulators/google/google.ts";
import { startService, type TestService } from "../../support/service.ts";

/** The service with a simulated Google. */
export interface WorkspaceWorld {
  service: TestService;
  google: GoogleSimulator;
  stop(): Promise<void>;
}

/** @param environment settings that differ from the tests' own */
export async function startWorkspace(environment: Record<string, string> = {}): Promise<WorkspaceWorld> {
  const google = new GoogleSimulator();
  await google.start();
  const service = await startService({ ...google.environment, ...environment });
  return {
    service,
    google,
    async stop() {
      await service.stop();
      await google.stop();
    },
  };
}
