import { expect } from "chai";
import { addDays, addMonths } from "../../../../core/calendar/calendar.ts";
import { recordEvents } from "../../../support/answers.ts";
import { fire, holdSchedules, settled, until } from "../../../support/jobs.ts";
import { startService, type Tenant, type TestService } from "../../../support/service.ts";
import { todayWithRoom } from "../../../support/today.ts";
import { bodyOf } from "../../work/tasks/task-records.ts";
import { domainOf, makeAgreement } from "./agreement-records.ts";

describe("the scheduled work of agreements", () => {
  let service: TestService;
  let tenant: Tenant;
  let today: string;
  before(async () => {
    service = await startService();
    await holdSchedules(service, "subscriptions.%");
    await recordEvents(service);
  });
  beforeEach(async () => {
    today = await todayWithRoom();
    tenant = await service.tenant();
  });
  after(() => service.stop());

  /** An agreement whose boundary is today. */
  const due = (of: Tenant) => makeAgreement(of, { start_date: addMonths(today, -1), next_invoice_date: today });
  const made = async ({ organisation }: Tenant): Promise<object[]> =>
    (
      await service.sql.query("select status, subscription_id, domain_id from invoices where organisation_id = $1", [
        organisation.id,
      ])
    ).rows;
  const run = async () => {
    await settled(service);
    await fire(service, "subscriptions.bill");
  };

  it("comes at 05:30", async () => {
    const { rows } = await service.sql.query("select repeat_interval from jobs.agenda_jobs where name = 'subscriptions.bill'");
    expect(rows).to.deep.equal([{ repeat_interval: "30 5 * * *" }]);
  });

  it("bills due periods in every organisation but suspended ones, each period once", async () => {
    const [other, suspended] = [await service.tenant(), await service.tenant()];
    const [mine, theirs] = [await due(tenant), await due(other)];
    await due(suspended);
    await service.sql.query("update organisations set status = 'suspended' where id = $1", [suspended.organisation.id]);
    await run();
    await run();
    expect(await made(tenant)).to.deep.equal([{ status: "draft", subscription_id: mine.id, domain_id: null }]);
    expect(await made(other)).to.deep.equal([{ status: "draft", subscription_id: theirs.id, domain_id: null }]);
    expect(await made(suspended)).to.deep.equal([]);
  });

  it("bills the others where one cannot be billed", async () => {
    const refused = await service.tenant();
    const [{ id }, other] = [await due(tenant), await due(refused)];
    // With its tax the total exceeds a document's limit.
    await service.sql.query("update subscription_prices set amount = 9999999999.99 where subscription_id = $1", [other.id]);
    await run();
    expect(await made(tenant)).to.deep.equal([{ status: "draft", subscription_id: id, domain_id: null }]);
    expect(await made(refused)).to.deep.equal([]);
    expect(bodyOf(await refused.owner.get(`/subscriptions/${other.id}`)).next_invoice_date).to.equal(addMonths(today, 1));
  });

  const renewal = async (auto_invoice_mode: string) => ({
    ...(await domainOf(tenant)),
    name: "wind.example",
    period_start: addDays(today, -365),
    period_end: today,
    amount: "12.50",
    currency: "EUR",
    tld: "example",
    auto_invoice_mode,
  });
  const notify = (payload: { domain_id: string }) =>
    service.sql.query(
      `insert into outbox (id, organisation_id, event, entity_type, entity_id, payload, request_id)
       values (gen_random_uuid(), $1, 'domain.due', 'domain', $2, $3, 'test')`,
      [tenant.organisation.id, payload.domain_id, JSON.stringify(payload)],
    );

  it("bills a domain by its event", async () => {
    bodyOf(await tenant.owner.put("/invoicing/settings", { company_details: { name: "Vela Works" } }));
    const payload = await renewal("issue");
    await notify(payload);
    await until(async () => (await made(tenant)).length > 0);
    expect(await made(tenant)).to.deep.equal([{ status: "open", subscription_id: null, domain_id: payload.domain_id }]);
  });

  it("waits while invoicing may not be written", async () => {
    const payload = await renewal("draft");
    await service.sql.query("insert into product_licences (module, expires_at) values ('invoicing', '2001-01-01')");
    await notify(payload);
    const waiting = `select 1 from jobs.agenda_jobs where name like 'domain.due > %' and next_run_at > now() + interval '5 min'`;
    await until(async () => (await service.sql.query(waiting)).rowCount === 1);
    expect(await made(tenant)).to.deep.equal([]);
  });
});
