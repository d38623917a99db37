import sinon from "sinon";
import { recordEvents } from "./answers.ts";
import { holdSchedules } from "./jobs.ts";
import { type Caller, sharedService, startService, type Tenant, type TestService } from "./service.ts";

export { eventsAbout, refused, unfit } from "./answers.ts";

/** An organisation with leave types, an owner who decides on requests, and a member who submits them. */
export interface LeaveTenant extends Tenant {
  /** Ids of the seeded types by key. */
  types: Record<string, string>;
  employee: Caller;
}

/** The service with `leave` and `hr` licensed permanently, and an adjustable clock. */
export interface LeaveService extends TestService {
  /** Sets the service's clock; a date means noon UTC of that day. */
  today(instant: string): void;
  /** Creates an organisation with seeded types and holidays. */
  leaveTenant(): Promise<LeaveTenant>;
}

/** The service shared by files that set the clock, at a date. Timers keep running: only code that reads the clock sees the date. */
export const sharedLeaveService = (date: string): Promise<LeaveService> => leaveService(date, () => sharedService("clock"));

/** Starts a separate service at a date. @param environment settings that differ from the tests' defaults */
export const startLeaveService = (date: string, environment?: Record<string, string>): Promise<LeaveService> =>
  leaveService(date, () => startService(environment));

async function leaveService(date: string, start: () => Promise<TestService>): Promise<LeaveService> {
  const at = (instant: string) => Date.parse(instant.includes("T") ? instant : `${instant}T12:00:00Z`);
  const clock = sinon.useFakeTimers({ now: at(date), toFake: ["Date"] });
  const service = await start().catch((error: unknown) => {
    clock.restore();
    throw error;
  });
  await holdSchedules(service, "leave.%");
  await service.sql.query(
    `insert into product_licences (module, expires_at) values ('leave', '2200-01-01'), ('hr', '2200-01-01')
      on conflict (module) do update set expires_at = excluded.expires_at`,
  );
  await recordEvents(service);
  return {
    ...service,
    today: (instant) => clock.setSystemTime(at(instant)),
    async leaveTenant() {
      const tenant = await service.tenant();
      const employee = await tenant.member("member", { name: "Anna de Vries" });
      await tenant.owner.post("/leave/requests/preview", { start_date: date.slice(0, 10), end_date: date.slice(0, 10) });
      const { rows } = await service.sql.query("select key, id from leave_types where organisation_id = $1", [
        tenant.organisation.id,
      ]);
      return { ...tenant, employee, types: Object.fromEntries(rows.map(({ key, id }) => [key, id])) };
    },
    async stop() {
      clock.restore();
      await service.stop();
    },
  };
}

/** Sets a pot directly by SQL. */
export async function setPot(
  { sql }: TestService,
  tenant: Tenant,
  pot: { user_id: string; leave_type_id: string; year: number; hours: number },
): Promise<void> {
  await sql.query(
    `insert into leave_entitlements (id, organisation_id, user_id, leave_type_id, year, hours, source)
      values (gen_random_uuid(), $1, $2, $3, $4, $5, 'manual')`,
    [tenant.organisation.id, pot.user_id, pot.leave_type_id, pot.year, pot.hours],
  );
}

/** Gives a person a contract, by SQL. */
export async function setContract(
  { sql }: TestService,
  tenant: Tenant,
  contract: { user_id: string; start_date: string; end_date?: string; hours: number; schedule?: object },
): Promise<void> {
  await sql.query(
    `insert into leave_contracts (id, organisation_id, user_id, start_date, end_date, contract_hours_per_week, schedule)
      values (gen_random_uuid(), $1, $2, $3, $4, $5, $6)`,
    [
      tenant.organisation.id,
      contract.user_id,
      contract.start_date,
      contract.end_date ?? null,
      contract.hours,
      contract.schedule === undefined ? null : JSON.stringify(contract.schedule),
    ],
  );
}
