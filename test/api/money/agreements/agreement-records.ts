import { randomUUID } from "node:crypto";
import type { ServiceSchema } from "moleculer";
import sinon from "sinon";
import { recordEvents } from "../../../support/answers.ts";
import { holdSchedules } from "../../../support/jobs.ts";
import { type Caller, sharedService, startService, type Tenant, type TestService } from "../../../support/service.ts";
import { type Body, bodyOf } from "../../work/tasks/task-records.ts";

/** A service whose clock can be set, with money and work licensed for good and every event kept. */
export interface AgreementService extends TestService {
  /** Sets the service's clock: a date is noon UTC of that day. */
  today(instant: string): void;
}

async function onClock(date: string, start: () => Promise<TestService>): Promise<AgreementService> {
  const at = (instant: string) => Date.parse(instant.includes("T") ? instant : `${instant}T12:00:00Z`);
  const clock = sinon.useFakeTimers({ now: at(date), toFake: ["Date"] });
  const service = await start().catch((error: unknown) => {
    clock.restore();
    throw error;
  });
  await holdSchedules(service, "%");
  await service.sql.query(
    `insert into product_licences (module, expires_at)
      select unnest(array['invoicing', 'subscriptions', 'projects', 'time', 'interactions', 'domains']), '2200-01-01'
      on conflict (module) do update set expires_at = excluded.expires_at`,
  );
  await recordEvents(service);
  return {
    ...service,
    today: (instant) => clock.setSystemTime(at(instant)),
    async stop() {
      clock.restore();
      await service.stop();
    },
  };
}

/** The service that files with a clock share, at a date. */
export const sharedAgreementService = (date: string): Promise<AgreementService> => onClock(date, () => sharedService("clock"));

/** A service of the file's own, at a date. */
export const startAgreementService = (date: string, extra: readonly ServiceSchema[] = []): Promise<AgreementService> =>
  onClock(date, () => startService({}, extra));

/** The minimal body of an agreement: monthly 90.00 from 15 January 2026, for its own client unless one is named. */
export async function agreementBody(tenant: Tenant, values: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
  const company_id = values["company_id"] ?? (await tenant.company()).id;
  return { name: "Hosting", amount: "90.00", start_date: "2026-01-15", ...values, company_id };
}

/** Makes an agreement as a caller, the owner unless said otherwise, and gives its body. */
export const makeAgreement = async (
  tenant: Tenant,
  values: Record<string, unknown> = {},
  caller: Caller = tenant.owner,
): Promise<Body> => bodyOf(await caller.post("/subscriptions", await agreementBody(tenant, values)));

/** Makes a domain of a new client, as an event names both. */
export async function domainOf(tenant: Tenant): Promise<{ domain_id: string; company_id: string }> {
  const company_id = (await tenant.company()).id;
  const made = bodyOf(await tenant.owner.post("/domains", { name: `${randomUUID()}.example`, company_id }));
  return { domain_id: made.id, company_id };
}

/** Sets the day the record of an agreement was made, which the database's clock says. */
export const madeOn = ({ sql }: Pick<TestService, "sql">, id: string, date: string) =>
  sql.query("update subscriptions set created_at = $2::timestamptz where id = $1", [id, `${date}T09:00:00Z`]);

/** The trail of a record, oldest first, as actions with payloads. */
export async function linesOf({ sql }: Pick<TestService, "sql">, kind: string, id: string): Promise<[string, object][]> {
  const { rows } = await sql.query(
    "select action, payload from activity where entity_type = $1 and entity_id = $2 order by created_at, id",
    [kind, id],
  );
  return rows.map(({ action, payload }) => [action, payload]);
}
