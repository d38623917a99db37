import { expect } from "chai";
import pg from "pg";
import { oneProcess } from "../../../support/cluster/topology.ts";
import { startService, type Tenant, type TestService } from "../../../support/service.ts";

oneProcess("counts the process's statements");

/** The parts of pg's connection through which the messages of this process pass. */
interface Wire {
  parse(message: { name?: string; text: string }): void;
  bind(message: { statement?: string }): void;
  sync(): void;
}
const wires = (pg as unknown as { Connection: { prototype: Wire } }).Connection.prototype;

describe("the messages to PostgreSQL", () => {
  const { parse, bind, sync } = wires;
  const texts = new Map<string | undefined, string>();
  /** The connections that have prepared a statement since it was last emptied. */
  const preparing = new Set<Wire>();
  let messages: { wire: Wire; statements: string[] }[] = [];
  let service: TestService;
  let tenant: Tenant;
  let company: string;

  before(async () => {
    const open = new Map<Wire, string[]>();
    wires.parse = function (message) {
      texts.set(message.name, message.text);
      preparing.add(this);
      parse.call(this, message);
    };
    wires.bind = function (message) {
      open.set(this, [...(open.get(this) ?? []), texts.get(message.statement) ?? ""]);
      bind.call(this, message);
    };
    wires.sync = function () {
      messages.push({ wire: this, statements: open.get(this) ?? [] });
      open.delete(this);
      sync.call(this);
    };
    service = await startService();
    tenant = await service.tenant();
    company = (await tenant.company()).id;
    await tenant.owner.patch("/invoicing/settings", { company_details: { name: "Seller" } });
  });
  after(async () => {
    Object.assign(wires, { parse, bind, sync });
    await service.stop();
  });

  const draft = async () => {
    const sent = { company_id: company, lines: [{ description: "Work", quantity: "2", unit_price: "50.00" }] };
    const { status, text, body } = await tenant.owner.post("/invoicing/invoices", sent);
    expect(status, text).to.equal(201);
    return body.id as string;
  };
  const issue = async (id: string) => {
    const { status, text } = await tenant.owner.post(`/invoicing/invoices/${id}/issue`, {});
    expect(status, text).to.equal(200);
  };
  /**
   * The messages of the transaction whose statements include `part`, each as the beginnings of its statements. A connection that meets a
   * statement for the first time sends one by one, so the work is repeated until it is done on one that knows them all.
   */
  const messagesOf = async <T>(part: string, prepare: () => Promise<T>, work: (prepared: T) => Promise<unknown>) => {
    let own: (typeof messages)[number] | undefined;
    do {
      const prepared = await prepare();
      messages = [];
      preparing.clear();
      await work(prepared);
      own = messages.find(({ statements }) => statements.some((text) => text.includes(part)));
    } while (own && preparing.has(own.wire));
    const ofWire = messages.filter(({ wire, statements }) => wire === own?.wire && statements.length > 0);
    return ofWire.map(({ statements }) => statements.map((text) => text.slice(0, 60)).join("; "));
  };

  it("of a new invoice are three: what it refers to, the rates of its lines, and all writes", async () => {
    const sent = await messagesOf("insert into invoices", async () => {}, draft);
    expect(sent, sent.join("\n")).to.have.lengthOf(3);
  });

  it("of an issue are four: the lock, what it depends on, the number, and all writes", async () => {
    const sent = await messagesOf("update invoices set number", draft, issue);
    expect(sent, sent.join("\n")).to.have.lengthOf(4);
  });
});
