import { expect } from "chai";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";

describe("Writing a record", () => {
  let service: TestService;
  let tenant: Tenant;

  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
  });
  after(() => service.stop());

  /** Another one after each transaction that has locked or written the organisation's row. */
  async function lastHolder(): Promise<string> {
    const { rows } = await service.sql.query("select xmin || ' ' || xmax as holder from organisations where id = $1", [
      tenant.organisation.id,
    ]);
    return rows[0].holder;
  }

  it("leaves the row of the organisation free, so that writers of one organisation do not take turns", async () => {
    const { owner } = tenant;
    const { id: company } = await tenant.company();
    const { id: project } = (await owner.post("/projects", { name: "Sails", company_id: company })).body;
    const { id: task } = (await owner.post("/tasks", { title: "Draw", project_id: project })).body;
    const interaction = { company_id: company, kind: "call", subject: "About sails" };
    const document = { company_id: company, lines: [{ description: "Sail", quantity: "1", unit_price: "100.00" }] };
    // An organisation's rows created with its first contact moment and its first invoice.
    await owner.post("/interactions", interaction);
    await owner.post("/invoicing/invoices", document);
    const writes: [string, object][] = [
      ["/companies", { name: "Zeilmakerij Wind", responsible_user_id: owner.accountId }],
      ["/contacts", { first_name: "Noor", company_id: company }],
      ["/projects", { name: "Masts", company_id: company }],
      ["/tasks", { title: "Sew", project_id: project, assignee_user_ids: [owner.accountId] }],
      [`/tasks/${task}/comments`, { body: "Done by noon" }],
      ["/interactions", interaction],
      ["/time/entries", { task_id: task, project_id: project, started_at: "2026-03-02T09:00:00Z", minutes: 30 }],
      ["/invoicing/invoices", document],
      ["/invoicing/quotes", document],
    ];
    const before = await lastHolder();
    for (const [index, [path, body]] of writes.entries()) {
      const { status, text } = await owner.post(path, body, { headers: { "Idempotency-Key": `row-locks-${index}` } });
      expect(status, `${path}: ${text}`).to.equal(201);
      expect(await lastHolder(), path).to.equal(before);
    }
  });
});
