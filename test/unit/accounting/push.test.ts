import { createHash } from "node:crypto";
import { expect } from "chai";
import { readConfig } from "../../../core/config/config.ts";
import { journalText } from "../../../integrations/accounting/journal/journal.ts";
import { type AccountingProvider, LedgerUnknown } from "../../../integrations/accounting/provider.ts";
import { accountingProviders } from "../../../integrations/accounting/providers.ts";
import { pushEntry, type RememberedEntry } from "../../../integrations/accounting/push.ts";
import type { SalesEntry } from "../../../mixins/sales-entry.ts";

const BOOKS = { organisationId: "o", slug: "vela" };
const hashOf = (text: string) => createHash("sha256").update(text).digest("hex");

/** A provider that stores texts by number, and does not answer where configured. */
class FakeBooks implements AccountingProvider {
  readonly key = "fake";
  readonly label = "Fake";
  readonly held = new Map<string, string>();
  readonly calls: string[] = [];
  /** How a create goes on after it was done, or not done. */
  trouble: "none" | "lost answer" | "lost request" = "none";

  contents({ number, reference }: SalesEntry): string {
    return `${number} ${reference}`;
  }
  async find(_books: unknown, number: string) {
    this.calls.push("find");
    const text = this.held.get(number);
    return text === undefined ? null : { external_id: `x-${number}`, hash: hashOf(text) };
  }
  async create(_books: unknown, number: string, contents: string) {
    this.calls.push("create");
    if (this.trouble !== "lost request") this.held.set(number, contents);
    if (this.trouble !== "none") throw new Error("timeout");
  }
  async replace(_books: unknown, number: string, contents: string) {
    this.calls.push("replace");
    this.held.set(number, contents);
  }
}

const entry = (reference: string): SalesEntry => ({
  number: "2026-0001",
  kind: "invoice",
  issue_date: "2026-03-01",
  due_date: "2026-03-15",
  client_number: "K1",
  client: "Vela, Works",
  reference,
  currency: "EUR",
  exchange_rate: null,
  total: "121.00",
  lines: [{ description: "=Texts", ledger_code: "8000", tax_category: "standard", tax_rate_pct: "21.00", net: "100.00" }],
  taxes: [{ name: "Btw", tax_category: "standard", tax_rate_pct: "21.00", base: "100.00", tax: "21.00" }],
});

const push = (books: AccountingProvider, sent: SalesEntry, known: RememberedEntry | null) =>
  pushEntry(books, BOOKS, sent, { known, eInvoice: async () => `<Invoice>${sent.reference}</Invoice>`, leave: async () => {} });

describe("an entry in the books of a provider", () => {
  const own = (reference: string) => ({
    external_id: "x-2026-0001",
    payload: { hash: hashOf(`2026-0001 ${reference}`), adopted: false },
  });

  it("is looked up before it is made, and sent once", async () => {
    const books = new FakeBooks();
    const made = await push(books, entry("A"), null);
    expect(made).to.deep.equal(own("A"));
    expect(await push(books, entry("A"), made)).to.deep.equal(made);
    expect(books.calls).to.deep.equal(["find", "create", "find", "find"]);
  });

  it("is replaced when it changed here and not there", async () => {
    const books = new FakeBooks();
    const made = await push(books, entry("A"), null);
    expect(await push(books, entry("B"), made)).to.deep.equal(own("B"));
    expect(books.held.get("2026-0001")).to.equal("2026-0001 B");
  });

  it("is adopted and never overwritten when another made it, or changed it", async () => {
    const foreign = { external_id: "x-2026-0001", payload: { hash: hashOf("theirs"), adopted: true } };
    const books = new FakeBooks();
    books.held.set("2026-0001", "theirs");
    expect(await push(books, entry("A"), null)).to.deep.equal(foreign);
    expect(await push(books, entry("B"), foreign)).to.deep.equal(foreign);
    expect(await push(books, entry("B"), own("A"))).to.deep.equal(foreign);
    expect(books.held.get("2026-0001")).to.equal("theirs");
    expect(books.calls).to.deep.equal(["find", "find", "find"]);
  });

  it("is looked for again when no answer came", async () => {
    const books = new FakeBooks();
    books.trouble = "lost answer";
    expect(await push(books, entry("A"), null)).to.deep.equal(own("A"));
    const other = new FakeBooks();
    other.trouble = "lost request";
    const failed = await push(other, entry("A"), null).catch((error: Error) => error.message);
    expect([failed, other.calls]).to.deep.equal(["timeout", ["find", "create", "find"]]);
  });
});

describe("a journal", () => {
  it("has a row per line and per tax, amounts as they are and no formula", () => {
    expect(journalText(entry("-1")).split("\r\n")).to.deep.equal([
      "number,kind,issue_date,due_date,client_number,client,reference,currency,exchange_rate,total,row,ledger_code,description,tax_category,tax_rate_pct,net,tax",
      `2026-0001,invoice,2026-03-01,2026-03-15,K1,"Vela, Works",'-1,EUR,,121.00,line,8000,'=Texts,standard,21.00,100.00,`,
      `2026-0001,invoice,2026-03-01,2026-03-15,K1,"Vela, Works",'-1,EUR,,121.00,tax,,Btw,standard,21.00,100.00,21.00`,
      "",
    ]);
  });

  it("refuses a line without a ledger account", () => {
    const [line] = entry("A").lines;
    const without = { ...entry("A"), lines: [{ ...line, ledger_code: null }] } as SalesEntry;
    expect(() => journalText(without)).to.throw(LedgerUnknown);
  });

  it("is there where the operator configured it, and nothing is by default", () => {
    const configured = (environment: Record<string, string>) =>
      accountingProviders(readConfig({ SERVICE_SECRET: "a secret that nobody else has, 0123456789", ...environment })).map(
        ({ key }) => key,
      );
    expect(configured({})).to.deep.equal([]);
    expect(configured({ SERVICE_ACCOUNTING_JOURNAL_FOLDER: "/journal" })).to.deep.equal(["journal", "ubl"]);
    expect(configured({ SERVICE_ACCOUNTING_JOURNAL_BUCKET: "journal-of-vela" })).to.deep.equal(["journal", "ubl"]);
  });
});
