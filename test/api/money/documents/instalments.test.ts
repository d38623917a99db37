import { expect } from "chai";
import { systemRequest } from "../../../../core/request/system.ts";
import { inTenancy } from "../../../../mixins/tenancy.ts";
import { startDay } from "../../../../services/money/mails/daily.ts";
import { oneProcess } from "../../../support/cluster/topology.ts";
import { holdSchedules, settled } from "../../../support/jobs.ts";
import { sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { type DocumentBody, Invoicing, ok, refused, rule } from "./invoicing.ts";

oneProcess("looks inside the node");

describe("instalments of a quote", () => {
  let service: TestService;
  let tenant: Tenant;
  let books: Invoicing;
  before(async () => {
    service = await sharedService();
    await holdSchedules(service, "invoicing.%");
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    books = await Invoicing.open(service, tenant);
  });
  after(() => service.stop());

  const accepted = async (): Promise<DocumentBody> => {
    const { id } = await ok(books.owner.post("/invoicing/quotes", { company_id: books.company, lines: books.mixed() }));
    await ok(books.owner.post(`/invoicing/quotes/${id}/issue`, {}));
    return ok(books.owner.post(`/invoicing/quotes/${id}/accept`, {}));
  };
  const path = ({ id }: DocumentBody) => `/invoicing/quotes/${id}/instalments`;
  const turns = (...shares: [string, string][]) => shares.map(([due_on, percent]) => ({ due_on, percent }));
  const THREE = turns(["2026-03-02", "30"], ["2026-04-01", "40"], ["2026-05-01", "30"]);
  const plan = (quote: DocumentBody, instalments: object[], mode = "issue") =>
    books.owner.put(path(quote), { mode, instalments });
  const on = async (day: string) => {
    await inTenancy(
      () => systemRequest("invoicing.daily", tenant.organisation, "write"),
      () => startDay(day),
    );
    await settled(service);
  };
  const made = async (quote: DocumentBody) => {
    const { instalments } = await ok(books.owner.get(path(quote)));
    return Promise.all(
      instalments.flatMap(({ invoice_id }: { invoice_id: string | null }) => (invoice_id ? [books.read(invoice_id)] : [])),
    ) as Promise<DocumentBody[]>;
  };

  it("become deposits on their days, and at last the invoice of the quote", async () => {
    const quote = await accepted();
    const planned = await ok(plan(quote, THREE));
    expect(planned.instalments.map(({ amount }: { amount: string }) => amount)).to.deep.equal(["308.53", "411.38", "308.53"]);
    await on("2026-03-01");
    expect(await made(quote)).to.deep.equal([]);
    await on("2026-03-02");
    await on("2026-03-02");
    expect((await made(quote)).map(({ total, status }) => [total, status])).to.deep.equal([["308.53", "open"]]);
    await on("2026-05-01");
    const [first, second, last] = await made(quote);
    expect([first?.total, second?.total, last?.total]).to.deep.equal(["308.53", "411.38", "308.53"]);
    expect([first?.deposit_of, second?.deposit_of, last?.deposit_of, last?.quote_id]).to.deep.equal([
      ...[quote.id, quote.id],
      ...[null, quote.id],
    ]);
    expect((await ok(books.owner.get(`/invoicing/quotes/${quote.id}`))).status).to.equal("invoiced");
    expect(refused(await plan(quote, THREE))).to.deep.equal(rule("wrong_status"));
  });

  it("wait until the quote is accepted, and a deleted draft is made again", async () => {
    const { id } = await ok(books.owner.post("/invoicing/quotes", { company_id: books.company, lines: books.mixed() }));
    const quote = { id } as DocumentBody;
    await ok(plan(quote, THREE, "draft"));
    await on("2026-03-02");
    expect(await made(quote)).to.deep.equal([]);
    await ok(books.owner.post(`/invoicing/quotes/${id}/issue`, {}));
    await ok(books.owner.post(`/invoicing/quotes/${id}/accept`, {}));
    await on("2026-03-02");
    const [first] = await made(quote);
    expect(first?.status).to.equal("draft");
    await ok(books.owner.delete(`/invoicing/invoices/${first?.id}`));
    expect(await made(quote)).to.deep.equal([]);
    await on("2026-03-03");
    expect(await made(quote)).to.have.lengthOf(1);
  });

  it("change only where they have not been invoiced", async () => {
    const quote = await accepted();
    await ok(plan(quote, THREE));
    await on("2026-03-02");
    const [first] = await made(quote);
    expect(refused(await plan(quote, turns(["2026-03-02", "40"], ["2026-06-01", "60"])))[1]).to.equal("errors.invoicing.locked");
    expect(refused(await plan(quote, []))[1]).to.equal("errors.invoicing.locked");
    const changed = await ok(plan(quote, turns(["2026-03-02", "30"], ["2026-06-01", "70"]), "draft"));
    expect(changed.instalments.map((turn: DocumentBody) => [turn.due_on, turn.percent, turn.invoice_id])).to.deep.equal([
      ["2026-03-02", "30.00", first?.id],
      ["2026-06-01", "70.00", null],
    ]);
  });

  it("stay due with the reason in the trail when deposits by hand leave no room", async () => {
    const quote = await accepted();
    await ok(plan(quote, THREE));
    await ok(books.owner.post(`/invoicing/quotes/${quote.id}/deposit`, { percent: 80 }));
    await on("2026-03-02");
    expect(await made(quote)).to.deep.equal([]);
    const [action, payload] = (await books.trail(quote.id, "quote")).at(-1) as [string, object];
    expect([action, payload]).to.deep.equal([
      "instalment_failed",
      { due_on: "2026-03-02", reason: "errors.invoicing.deposit_exceeds" },
    ]);
  });

  it("refuse shares that are not the whole, days that do not follow, and other organisations", async () => {
    const quote = await accepted();
    for (const [instalments, field] of [
      [turns(["2026-03-02", "30"], ["2026-04-01", "40"]), "percent"],
      [turns(["2026-03-02", "50"], ["2026-03-02", "50"]), "due_on"],
      [turns(["2026-03-02", "0"], ["2026-04-01", "100"]), "percent"],
    ] as const)
      expect(refused(await plan(quote, [...instalments]))).to.deep.equal([
        422,
        "errors.validation",
        { [field]: "errors.validation" },
      ]);
    const other = await service.tenant();
    expect((await other.owner.get(path(quote))).status).to.equal(404);
    expect((await other.owner.put(path(quote), { instalments: THREE })).status).to.equal(404);
  });
});
