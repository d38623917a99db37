import type { ServiceSchema } from "moleculer";
import sinon from "sinon";
import { holdSchedules, keepEvents } from "../../../support/jobs.ts";
import { startService, type TestService } from "../../../support/service.ts";

/** The service with `projects` and `time` licensed for good, and a clock that can be set. */
export interface WorkService extends TestService {
  /** Sets the service's clock. */
  now(instant: string): void;
}

/**
 * Starts a service of the file's own at an instant. No schedule fires automatically, and every event is kept.
 * @param extra actors in addition to the service's own
 */
export async function startWorkService(instant: string, extra: readonly ServiceSchema[] = []): Promise<WorkService> {
  const clock = sinon.useFakeTimers({ now: Date.parse(instant), toFake: ["Date"] });
  const service = await startService({}, extra).catch((error: unknown) => {
    clock.restore();
    throw error;
  });
  await holdSchedules(service, "%");
  await keepEvents(service);
  await service.sql.query(
    "insert into product_licences (module, expires_at) values ('projects', '2200-01-01'), ('time', '2200-01-01')",
  );
  return {
    ...service,
    now: (other) => clock.setSystemTime(Date.parse(other)),
    async stop() {
      clock.restore();
      await service.stop();
    },
  };
}
