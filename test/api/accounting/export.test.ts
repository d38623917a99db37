import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect } from "chai";
import { runtime } from "../../../core/config/runtime.ts";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { refusalOf } from "../clients/companies/company-records.ts";
import { Invoicing, ok } from "../money/documents/invoicing.ts";

describe("the books of an accounting provider", () => {
  let service: TestService;
  let tenant: Tenant;
  let invoicing: Invoicing;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    invoicing = await Invoicing.open(service, tenant);
    await service.sql.query("update tax_rates set ledger_code = '8000' where organisation_id = $1", [tenant.organisation.id]);
  });
  after(() => service.stop());

  const folder = () => path.join(runtime().config.accountingJournalFolder as string, tenant.organisation.slug);
  const fileOf = (number: string | null) => path.join(folder(), `${number}.csv`);
  const send = (id: string, provider = "journal", by = tenant.owner) =>
    by.post(`/invoicing/invoices/${id}/export?provider=${provider}`);
  const refs = async (id: string) => (await tenant.owner.get(`/invoicing/invoices/${id}/refs`)).body;

  it("are listed as the operator configured them, for who manages settings", async () => {
    expect((await tenant.owner.get("/invoicing/providers")).body).to.deep.equal([
      { key: "journal", label: "Journal (CSV)" },
      { key: "ubl", label: "E-invoices (UBL)" },
    ]);
    const reader = await tenant.member("member", { grants: ["invoicing.invoice.read:any"] });
    expect((await reader.get("/invoicing/providers")).status).to.equal(403);
  });

  it("take an issued invoice once, and are remembered with it", async () => {
    const { id, number } = await invoicing.issued();
    expect(await refs(id)).to.deep.equal([]);
    const first = await send(id);
    expect(first.status).to.equal(200);
    expect(first.body).to.deep.include({
      provider: "journal",
      local_type: "invoice",
      local_id: id,
      external_id: `${number}.csv`,
    });
    expect(first.body.payload.adopted).to.equal(false);
    const rows = (await readFile(fileOf(number), "utf8")).trim().split("\r\n");
    expect(rows.length).to.equal(1 + 4 + 2);
    expect(rows[1]).to.match(/,1028\.44,line,8000,Line of 84\.00,standard,21\.00,630\.00,$/);
    expect(rows.at(-1)).to.match(/,tax,,.*,reduced,9\.00,49\.95,4\.50$/);
    expect((await send(id)).body).to.include({ id: first.body.id });
    const [only, ...more] = await refs(id);
    expect([only.id, more]).to.deep.equal([first.body.id, []]);
    const changed = await tenant.owner.get(`/invoicing/invoices/${id}/refs?updated_since=2100-01-01T00:00:00Z`);
    expect(changed.body).to.deep.equal([]);
    expect(await readdir(folder()), "no half files").to.deep.equal([`${number}.csv`]);
  });

  it("export the e-invoice next to the journal, as downloaded, and are distinguished", async () => {
    const { id, number } = await invoicing.issued();
    const lacking = await send(id, "ubl");
    expect([lacking.status, lacking.body.error.code]).to.deep.equal([409, "conflict"]);
    expect(lacking.body.error.fields).to.include({ vat_number: "errors.invoicing.seller_incomplete" });
    expect(await refs(id)).to.deep.equal([]);
    const seller = { name: "Vela Works B.V.", country: "NL", vat_number: "NL123456789B01" };
    await ok(tenant.owner.put("/invoicing/settings", { company_details: seller }));
    await ok(tenant.owner.patch(`/companies/${invoicing.company}`, { country: "NL" }));
    const late = await invoicing.issued();
    const sent = await send(late.id, "ubl");
    expect(sent.body).to.include({ provider: "ubl", external_id: `${late.number}.xml` });
    expect((await send(late.id)).status).to.equal(200);
    const file = await readFile(path.join(folder(), `${late.number}.xml`), "utf8");
    expect(file).to.equal((await tenant.owner.get(`/invoicing/invoices/${late.id}/ubl`)).text);
    expect((await refs(late.id)).map(({ provider }: { provider: string }) => provider)).to.deep.equal(["journal", "ubl"]);
    expect((await readdir(folder())).toSorted()).to.deep.equal([`${late.number}.csv`, `${late.number}.xml`]);
    expect(number).not.to.equal(late.number);
  });

  it("are brought up to date with what changed here, and keep what another wrote", async () => {
    const { id, number } = await invoicing.issued();
    await send(id);
    // Of what an exported document has, its term still changes.
    await ok(tenant.owner.patch(`/invoicing/invoices/${id}`, { due_date: "2027-01-07" }));
    await send(id);
    expect(await readFile(fileOf(number), "utf8")).to.contain(",2027-01-07,");
    await writeFile(fileOf(number), "theirs");
    await ok(tenant.owner.patch(`/invoicing/invoices/${id}`, { due_date: "2027-01-08" }));
    expect((await send(id)).body.payload.adopted).to.equal(true);
    expect(await readFile(fileOf(number), "utf8")).to.equal("theirs");
    const other = await invoicing.issued();
    await writeFile(fileOf(other.number), "theirs too");
    expect((await send(other.id)).body.payload.adopted).to.equal(true);
    expect(await readFile(fileOf(other.number), "utf8")).to.equal("theirs too");
  });

  it("are listed in as many statements for many references as for none", async () => {
    const { id } = await invoicing.issued();
    await refs(id);
    const few = (await tenant.owner.get(`/invoicing/invoices/${id}/refs`)).statements;
    for (const provider of ["b", "a", "c"])
      await service.sql.query(
        `insert into external_refs (id, organisation_id, provider, local_type, local_id, external_id)
         values (gen_random_uuid(), $1, $2, 'invoice', $3, 'x')`,
        [tenant.organisation.id, provider, id],
      );
    const many = await tenant.owner.get(`/invoicing/invoices/${id}/refs`);
    expect(many.body.map(({ provider }: { provider: string }) => provider)).to.deep.equal(["a", "b", "c"]);
    expect(many.statements).to.equal(few);
  });

  it("get one entry of many that come at the same moment", async () => {
    const { id, number } = await invoicing.issued();
    const answers = await Promise.all([1, 2, 3, 4].map(() => send(id)));
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200]);
    expect((await refs(id)).length).to.equal(1);
    expect((await refs(id))[0].payload.adopted).to.equal(false);
    expect(await readdir(folder())).to.deep.equal([`${number}.csv`]);
  });

  it("refuse in this order: an unknown provider, a missing document, a draft; and store nothing", async () => {
    const nowhere = "8f1f7e0e-6f3c-4c58-9a3e-0d6b4a0a2f11";
    const unknown = await send(nowhere, "exact");
    expect(refusalOf(unknown)).to.deep.equal([400, "validation", { provider: "errors.invoicing.provider_unknown" }]);
    expect(unknown.body.error.message).to.equal("errors.invoicing.provider_unknown");
    expect((await send(nowhere)).status).to.equal(404);
    const { id } = await invoicing.draft();
    const draft = await send(id);
    expect([draft.status, draft.body.error.message]).to.deep.equal([409, "errors.invoicing.wrong_status"]);
    expect((await tenant.owner.post(`/invoicing/invoices/${id}/export`)).status).to.equal(422);
    expect(await refs(id)).to.deep.equal([]);
    expect(existsSync(folder())).to.equal(false);
  });

  it("guess no ledger account", async () => {
    await service.sql.query("update tax_rates set ledger_code = null where id = $1", [invoicing.rates["9"]]);
    const { id } = await invoicing.issued();
    expect(refusalOf(await send(id))).to.deep.equal([409, "conflict", { lines: "errors.invoicing.ledger_code_missing" }]);
    expect(existsSync(folder())).to.equal(false);
    expect(await refs(id)).to.deep.equal([]);
  });

  it("are retried later when they cannot be reached, and nothing is stored", async () => {
    const { id } = await invoicing.issued();
    await mkdir(path.dirname(folder()), { recursive: true });
    await writeFile(folder(), "a file where a folder is to be");
    try {
      const answer = await send(id);
      expect([answer.status, answer.body.error.code, answer.headers["retry-after"]]).to.deep.equal([503, "unavailable", "60"]);
      expect(await refs(id)).to.deep.equal([]);
    } finally {
      await rm(folder());
    }
    expect((await send(id)).status).to.equal(200);
  });

  it("are out of sight with their invoice, and need the permission to write", async () => {
    const { id } = await invoicing.issued();
    const grants = ["invoicing.invoice.read:any", "invoicing.invoice.write"];
    const member = await tenant.member("member", { grants });
    await tenant.group("other", [(await tenant.company()).id], [member.membershipId]);
    expect((await send(id, "journal", member)).status).to.equal(404);
    expect((await member.get(`/invoicing/invoices/${id}/refs`)).status).to.equal(404);
    const reader = await tenant.member("member", { grants: ["invoicing.invoice.read:any"] });
    expect((await send(id, "journal", reader)).status).to.equal(403);
    expect((await reader.get(`/invoicing/invoices/${id}/refs`)).status).to.equal(200);
    const own = await tenant.member("member", { grants: ["invoicing.invoice.read:own"] });
    expect((await own.get(`/invoicing/invoices/${id}/refs`)).status).to.equal(403);
  });
});
