import { expect } from "chai";
import sinon from "sinon";
import { Transaction } from "../../../../core/database/connection/transaction.ts";
import type { Bound } from "../../../../core/sql/statement.ts";
import { oneProcess } from "../../../support/cluster/topology.ts";
import { sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { Invoicing, ok, refused, rule, statuses } from "./invoicing.ts";

oneProcess("replaces functions of the process");

const CALLERS = 16;

describe("numbers of documents that are issued at once", () => {
  let service: TestService;
  let tenant: Tenant;
  let invoicing: Invoicing;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    invoicing = await Invoicing.open(service, tenant);
  });
  afterEach(() => sinon.restore());

  const drafts = async (count: number, lines: object[] = invoicing.mixed()) => {
    const made = [];
    for (let n = 0; n < count; n++)
      made.push((await ok(invoicing.owner.post("/invoicing/invoices", { company_id: invoicing.company, lines }))).id as string);
    return made;
  };
  const issue = (id: string) => invoicing.owner.post(`/invoicing/invoices/${id}/issue`, {});
  const sequences = async (table = "invoices") => {
    const { rows } = await service.sql.query(
      `select substring(number from '\\d+$')::int as seq from ${table} where organisation_id = $1 and number is not null order by 1`,
      [tenant.organisation.id],
    );
    return rows.map(({ seq }) => seq as number);
  };
  const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);
  const settings = (values: object) => ok(invoicing.owner.put("/invoicing/settings", values));

  it("lock the counter in the last message before the commit, which takes the writes along", async () => {
    const [first, second] = (await drafts(2)) as [string, string];
    await ok(issue(first));
    // By their transactions: the service commits others meanwhile.
    const sent = new Map<Transaction, string[]>();
    const messagesOf = (one: Transaction) => sent.get(one) ?? sent.set(one, []).get(one)!;
    const { send, commit } = Transaction.prototype;
    sinon.replace(Transaction.prototype, "send", function (this: Transaction, bound: readonly Bound[]) {
      messagesOf(this).push(bound.map(([{ text }]) => text).join("; "));
      return send.call(this, bound);
    });
    sinon.replace(Transaction.prototype, "commit", function (this: Transaction, last?: readonly Bound[]) {
      messagesOf(this).push("commit");
      return commit.call(this, last);
    });
    const answer = await issue(second);
    sinon.restore();
    expect(answer.status, answer.text).to.equal(200);
    const isLock = (text: string) => text.includes("from invoicing_settings where") && text.includes("for update");
    const messages = [...sent.values()].find((texts) => texts.some(isLock)) ?? [];
    const locked = messages.findIndex(isLock);
    expect(locked).to.be.greaterThan(0);
    expect(messages.slice(locked + 1)).to.deep.equal(["commit"]);
    expect(answer.statements).to.be.at.most(13);
  });

  it("have no gap by many callers, where some of the issues are refused and undone", async () => {
    const [good, empty] = [await drafts(24), await drafts(8)];
    await service.sql.query("delete from document_lines where organisation_id = $1 and invoice_id = any($2::uuid[])", [
      tenant.organisation.id,
      empty,
    ]);
    const waiting = good.flatMap((id, index) => [id, ...(index % 3 === 0 ? [empty[index / 3] as string] : [])]);
    const answers: Awaited<ReturnType<typeof issue>>[] = [];
    await Promise.all(
      Array.from({ length: CALLERS }, async () => {
        for (let next = waiting.shift(); next; next = waiting.shift()) answers.push(await issue(next));
      }),
    );
    expect(statuses(answers)).to.deep.equal({ 200: 24, 400: 8 });
    expect(await sequences()).to.deep.equal(upTo(24));
    expect((await ok(invoicing.owner.get("/invoicing/settings"))).invoice_next_seq).to.equal(25);
  });

  it("pass over numbers in use, few or more than are looked at in one statement", async () => {
    await settings({ invoice_number_format: "A{seq:4}", number_reset_yearly: false });
    const [first, second, third] = (await drafts(3)) as [string, string, string];
    const occupy = (from: number, to: number) =>
      service.sql.query(
        `insert into invoices (id, organisation_id, company_id, currency, locale, customer, number, status, kind)
         select gen_random_uuid(), $1, $2, 'EUR', 'nl', '{}', 'A' || lpad(n::text, 4, '0'), 'cancelled', 'invoice'
           from generate_series($3::int, $4::int) n`,
        [tenant.organisation.id, invoicing.company, from, to],
      );
    await occupy(1, 3);
    expect((await ok(issue(first))).number).to.equal("A0004");
    await occupy(5, 104);
    expect((await ok(issue(second))).number).to.equal("A0105");
    await occupy(106, 1105);
    expect(refused(await issue(third))).to.deep.equal(rule("number_exhausted"));
    const stored = await ok(invoicing.owner.get("/invoicing/settings"));
    expect(stored.invoice_next_seq).to.equal(106);
  });

  it("start again with the year, and continue without that, as with one caller", async () => {
    const set = (year: number, next: number, yearly: boolean) =>
      service.sql.query(
        `update invoicing_settings set invoice_seq_year = $2, invoice_next_seq = $3, number_reset_yearly = $4, invoice_number_format = '{seq:3}'
          where organisation_id = $1`,
        [tenant.organisation.id, year, next, yearly],
      );
    const [first, ...others] = await drafts(9);
    await ok(issue(first as string));
    await set(2020, 700, true);
    const answers = await Promise.all(others.slice(0, 4).map(issue));
    // The first one has number 1 of this year, in another format.
    expect(answers.map(({ body }) => body.number).sort()).to.deep.equal(["001", "002", "003", "004"]);
    await set(2020, 700, false);
    const further = await Promise.all(others.slice(4).map(issue));
    expect(further.map(({ body }) => body.number).sort()).to.deep.equal(["700", "701", "702", "703"]);
  });
});
