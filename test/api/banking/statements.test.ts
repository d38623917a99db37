import { expect } from "chai";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { ING, mt940, RABOBANK } from "../../unit/banking/files.ts";
import { type DocumentBody, ok } from "../money/documents/invoicing.ts";
import { arrive, send, statementOf } from "./bank.ts";

describe("POST /banking/statements", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const list = async (query = ""): Promise<DocumentBody[]> => (await ok(tenant.owner.get(`/banking/entries?${query}`))).items;

  it("stores a statement with its entries", async () => {
    const uploaded = await ok(
      send(
        tenant.owner,
        statementOf(
          [
            { amount: "10.00", text: "one" },
            { amount: "4.00", direction: "DBIT" },
          ],
          100,
        ),
      ),
    );
    expect(uploaded).to.include({ added: 2, known: 0, matched: 0 });
    expect(uploaded.warnings).to.deep.equal([]);
    expect(uploaded.statements).to.have.length(1);
    expect(uploaded.statements[0]).to.include({
      file_name: "june.xml",
      format: "camt053",
      account: "NL91ABNA0417164300",
      currency: "EUR",
      opening: "100.00",
      closing: "106.00",
      from_day: "2026-06-01",
      entry_count: 2,
      added_count: 2,
    });
    expect((await list()).map(({ amount, state, open_amount }) => [amount, state, open_amount])).to.deep.equal([
      ["-4.00", "open", "-4.00"],
      ["10.00", "open", "10.00"],
    ]);
    expect(await ok(tenant.owner.get(`/banking/statements/${uploaded.statements[0].id}`))).to.deep.equal(uploaded.statements[0]);
    expect((await ok(tenant.owner.get("/banking/statements"))).items).to.deep.equal(uploaded.statements);
  });

  it("keeps each entry once, when a statement is repeated and when statements overlap", async () => {
    const paid = ["a", "b", "c"].map((reference) => ({ amount: "10.00", reference }));
    const first = await ok(send(tenant.owner, statementOf(paid.slice(0, 2))));
    const again = await ok(send(tenant.owner, statementOf(paid.slice(0, 2)), "application/octet-stream", "same.xml"));
    expect(again).to.include({ added: 0, known: 2 });
    expect(again.statements[0].id).to.equal(first.statements[0].id);
    expect(await ok(send(tenant.owner, statementOf(paid.slice(1))))).to.include({ added: 1, known: 1 });
    expect(await list()).to.have.length(3);
  });

  it("keeps equal entries without a reference of the bank, as often as one file has them", async () => {
    const rows = (count: number) => {
      const [header, first] = RABOBANK.split("\r\n") as [string, string];
      const balance = (index: number) => `"+${1250 + 250 * index},00"`;
      const row = (index: number) => first.replace('"+1250,00"', balance(index)).replace('"000000000000000101"', '""');
      return [header, ...Array.from({ length: count }, (_, index) => row(index))].join("\r\n");
    };
    expect(await ok(send(tenant.owner, rows(2), "text/csv", "rabo.csv"))).to.include({ added: 2, known: 0 });
    expect(await ok(send(tenant.owner, rows(3), "text/csv", "rabo.csv"))).to.include({ added: 1, known: 2 });
  });

  it("takes what browsers call a bank's files, and old ones call MT940", async () => {
    const taken = async (content: string, type: string, name: string) => (await send(tenant.owner, content, type, name)).status;
    expect(await taken(mt940(""), "application/octet-stream", "maart.940")).to.equal(201);
    expect(await taken(ING, "application/vnd.ms-excel", "ing.csv")).to.equal(201);
    expect(await taken(statementOf([]), "text/xml", "x")).to.equal(201);
    expect(await taken("MZ", "application/octet-stream", "maart.exe")).to.equal(422);
    expect(await taken("a\0b", "application/xml", "maart.xml")).to.equal(422);
  });

  it("refuses a half-readable file with its name, place and reason, and stores nothing of it", async () => {
    const half = await send(tenant.owner, ING.replace("12,00", "12,x"), "text/csv", "ing maart.csv");
    expect(half.status).to.equal(422);
    expect(half.body.error).to.deep.include({
      fields: { file: "errors.banking.unreadable_entry" },
      details: { file: "ing maart.csv", line: 3, reason: "'12,x' is not an amount." },
    });
    const wrong = await send(
      tenant.owner,
      statementOf([{ amount: "1.00" }]).replace('<Amt Ccy="EUR">1.00', '<Amt Ccy="EUR">2.00'),
    );
    expect(wrong.body.error.fields).to.deep.equal({ file: "errors.banking.wrong_balance" });
    const bomb = await send(tenant.owner, statementOf([]).replace("?>", '?><!DOCTYPE a [<!ENTITY b "c">]>'));
    expect(bomb.body.error.fields).to.deep.equal({ file: "errors.banking.broken_file" });
    expect(await list()).to.deep.equal([]);
    expect((await ok(tenant.owner.get("/banking/statements"))).items).to.deep.equal([]);
  });

  it("lists entries by state, day, account and words", async () => {
    await arrive(
      tenant.owner,
      { amount: "10.00", text: "Koffie", day: "2026-05-01", name: "Zwart" },
      { amount: "30.00", text: "Thee", day: "2026-05-03", name: "Aap" },
      { amount: "20.00", text: "Water", day: "2026-05-02", name: "Noot" },
    );
    const texts = async (query: string) => (await list(query)).map(({ description }) => description);
    expect(await texts("")).to.deep.equal(["Thee", "Water", "Koffie"]);
    expect(await texts("sort=amount")).to.deep.equal(["Koffie", "Water", "Thee"]);
    expect(await texts("sort=counter_name")).to.deep.equal(["Thee", "Water", "Koffie"]);
    expect(await texts("from=2026-05-02&to=2026-05-02")).to.deep.equal(["Water"]);
    expect(await texts("q=koffie")).to.deep.equal(["Koffie"]);
    expect(await texts("q=aap")).to.deep.equal(["Thee"]);
    expect(await texts("state=matched")).to.deep.equal([]);
    expect(await texts("state=open&account=NL91ABNA0417164300&limit=1")).to.deep.equal(["Thee"]);
    expect((await tenant.owner.get("/banking/entries?state=paid")).status).to.equal(422);
  });
});
