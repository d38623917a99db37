import { expect } from "chai";
import { billAgreement } from "../../../../services/money/agreements/billing/bill-period.ts";
import { runCycle } from "../../../../services/money/agreements/cycle/cycle.ts";
import type { Tenant } from "../../../support/service.ts";
import { type Body, bodyOf, runFor } from "../../work/tasks/task-records.ts";
import { type AgreementService, madeOn, makeAgreement, sharedAgreementService } from "./agreement-records.ts";

type Due = Parameters<typeof billAgreement>[0];

describe("agreements at the ends of their cycle", () => {
  let service: AgreementService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedAgreementService("2026-01-15");
  });
  beforeEach(async () => {
    service.today("2026-01-15");
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const patch = (id: string, body: object) => tenant.owner.patch(`/subscriptions/${id}`, body).then(bodyOf);
  const reported = async (): Promise<Due[]> =>
    (
      await service.sql.query<{ payload: Due }>(
        "select payload from recorded where organisation_id = $1 and event = 'subscription.due' order by seq",
        [tenant.organisation.id],
      )
    ).rows.map(({ payload }) => payload);
  /** Runs the cycle on each of these days, and lets the consumer bill what it reports. */
  const runOn = async (...days: string[]) => {
    for (const day of days) {
      service.today(day);
      const before = (await reported()).length;
      await runFor(tenant, runCycle);
      for (const period of (await reported()).slice(before)) await runFor(tenant, (of) => of.write(() => billAgreement(period)));
    }
  };
  const outstanding = async (company_id: string) => {
    const { subscriptions } = bodyOf(await tenant.owner.get(`/invoicing/outstanding?company_id=${company_id}`));
    return (subscriptions as Body[]).map(({ no_cycle, periods }) => [
      no_cycle,
      periods.map(({ period_end, already_billed }: Body) => [period_end, already_billed]),
    ]);
  };
  const backlog = async () =>
    (bodyOf(await tenant.owner.get("/invoicing/recurring-backlog")).items as Body[]).map(({ period_end }) => period_end);
  const ending = async (values: object) => {
    const made = await makeAgreement(tenant, { end_date: "2026-03-20", ...values });
    await madeOn(service, made.id, "2026-01-15");
    return made;
  };

  it("leave their last periods open for people when nothing bills them automatically", async () => {
    const { id, company_id } = await ending({ auto_invoice_mode: "off" });
    await runOn("2026-02-15", "2026-03-15");
    expect(bodyOf(await tenant.owner.get(`/subscriptions/${id}`)).next_invoice_date).to.equal(null);
    const open = ["2026-02-15", "2026-03-15"];
    expect(await outstanding(company_id)).to.deep.equal([[true, open.map((end) => [end, false])]]);
    expect(await backlog()).to.deep.equal(open);
  });

  it("offer the last period again when its draft is deleted", async () => {
    const { company_id } = await ending({ auto_invoice_mode: "draft" });
    await runOn("2026-02-15", "2026-03-15");
    expect(await outstanding(company_id)).to.deep.equal([
      [
        true,
        [
          ["2026-02-15", true],
          ["2026-03-15", true],
        ],
      ],
    ]);
    const { items } = bodyOf(await tenant.owner.get("/invoicing/invoices"));
    const last = items.find(({ period_end }: Body) => period_end === "2026-03-15");
    expect((await tenant.owner.delete(`/invoicing/invoices/${last.id}`)).status).to.equal(204);
    expect(await backlog()).to.deep.equal(["2026-03-15"]);
  });

  it("offer no period past an end that moved earlier, and follow a next date that is set again", async () => {
    const { id } = await ending({ auto_invoice_mode: "off", end_date: null });
    await runOn("2026-02-15");
    await patch(id, { end_date: "2026-03-10" });
    await runOn("2026-03-15");
    expect(await backlog()).to.deep.equal(["2026-02-15"]);
    await patch(id, { end_date: null, next_invoice_date: "2026-04-20" });
    expect(await backlog()).to.deep.equal(["2026-02-20", "2026-03-20", "2026-04-20"]);
    await patch(id, { next_invoice_date: null });
    expect(await backlog()).to.deep.equal([]);
  });

  it("do not stop the billing of others where a period would begin before the calendar", async () => {
    const early = await makeAgreement(tenant, { start_date: "0001-01-01", next_invoice_date: "0001-01-15" });
    const other = await makeAgreement(tenant, { auto_invoice_mode: "off" });
    await runOn("2026-02-15");
    expect((await reported()).map(({ subscription_id }) => subscription_id)).to.deep.equal([other.id]);
    expect(bodyOf(await tenant.owner.get(`/subscriptions/${early.id}`)).next_invoice_date).to.equal("0001-02-15");
  });

  it("refuse lines that no document can bill", async () => {
    const { id, company_id } = await makeAgreement(tenant);
    const line = (quantity: string, unit_amount: string) => ({ description: "Hosting", quantity, unit_amount });
    const refused = async (lines: object[], status = 422) => {
      const terms = { company_id, name: "Hosting", amount: 1, start_date: "2026-01-15" };
      for (const answer of [
        await tenant.owner.post("/subscriptions", { ...terms, lines }),
        await tenant.owner.patch(`/subscriptions/${id}`, { lines }),
        await tenant.owner.post("/subscriptions/templates", { name: "Hosting", amount: 1, lines }),
      ]) {
        if (status === 422)
          expect([answer.status, answer.body.error?.fields]).to.deep.equal([422, { lines: "errors.validation" }]);
        else expect(answer.status).to.be.oneOf([200, 201]);
      }
    };
    await refused([line("99999999.99", "9999999999.99")]);
    await refused([line("1", "9999999999.99"), line("1", "0.01")]);
    await refused([line("0.0001", "9999999999.99"), line("99999999.99", "50")], 200);
  });
});
