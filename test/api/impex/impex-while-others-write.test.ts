import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import pg from "pg";
import { rememberedId } from "../../../core/impex/identity.ts";
import { asRequest } from "../../../core/request/context.ts";
import { systemRequest } from "../../../core/request/system.ts";
import type { Answer } from "../../support/http.ts";
import { errorsOf, sendSheet } from "../../support/impex.ts";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";

/** An id of a file: the record's own id follows from it, so that the test can take that before the import does. */
const GIVEN = "11111111-2222-4333-8444-555555555555";

/** An import, held at its last row by an uncommitted row with the id of that one. */
interface Held {
  entity: string;
  table: string;
  columns: string;
  row: (n: number) => string;
  /** Values of the row that holds the import. */
  holding: Record<string, unknown>;
  /** Whether that row belongs to the client of the test. */
  isOfClient?: boolean;
}

const ROWS = 60;
const HELD: readonly Held[] = [
  { entity: "company", table: "companies", columns: "Naam", row: (n) => `Bedrijf ${n}`, holding: { name: "Elders" } },
  {
    ...{ entity: "task", table: "tasks", columns: "Titel", row: (n: number) => `Taak ${n}` },
    holding: { title: "Elders", status: "open", position: 0 },
  },
  {
    ...{ entity: "project", table: "projects", columns: "Naam;Klant", row: (n: number) => `Project ${n};Bakkerij De Linde` },
    holding: { name: "Elders" },
    isOfClient: true,
  },
  {
    ...{
      entity: "contact",
      table: "contacts",
      columns: "Voornaam;E-mail;Bedrijf",
      row: (n: number) => `Noor ${n};n${n}@mail.example;Bakkerij De Linde`,
    },
    holding: { first_name: "Elders" },
  },
];

describe("an import that runs while others write", () => {
  let service: TestService;
  let tenant: Tenant;
  let other: pg.Client;
  /** A client that every import finds. */
  let client: string;

  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    client = (await tenant.company({ name: "Bakkerij De Linde" })).id as string;
    await tenant.owner.get("/tasks/statuses");
    other = new pg.Client({ connectionString: service.database.owner });
    await other.connect();
  });
  afterEach(() => other.end());
  after(() => service.stop());

  /** Starts an import and waits until its last row waits for a lock of the test. */
  async function hold({ entity, table, columns, row, holding, isOfClient = false }: Held, first?: string) {
    const own = asRequest(systemRequest("test", { id: tenant.organisation.id } as never, "read"), () =>
      rememberedId(entity, GIVEN),
    );
    const values = { id: own, organisation_id: tenant.organisation.id, ...holding, ...(isOfClient && { company_id: client }) };
    await other.query("begin");
    await other.query(
      `insert into ${table} (${Object.keys(values).join(", ")}) values (${Object.keys(values)
        .map((_, n) => `$${n + 1}`)
        .join(", ")})`,
      Object.values(values),
    );
    const rows = Array.from({ length: ROWS }, (_, n) => `${n === ROWS - 1 ? GIVEN : ""};${row(n)}`);
    if (first !== undefined) rows.splice(0, 1, first);
    const answer = sendSheet(tenant.owner, entity, `id;${columns}\n${rows.join("\n")}\n`, "?dry_run=false");
    const {
      rows: [{ pid }],
    } = await other.query("select pg_backend_pid() as pid");
    const isHeld = async () =>
      (await service.sql.query("select 1 from pg_stat_activity where $1 = any(pg_blocking_pids(pid))", [pid])).rowCount;
    const early = answer.then(({ text }) => {
      throw new Error(`the import was not held: ${text}`);
    });
    while (!(await Promise.race([isHeld(), early]))) await delay(20);
    early.catch(() => {});
    return { answer, release: () => other.query("rollback") };
  }

  /** The writes of others, each with what it answers. */
  const writes = async (): Promise<[string, Answer][]> => {
    const { owner } = tenant;
    const asked: readonly [string, () => Promise<Answer>][] = [
      ["POST /companies", () => owner.post("/companies", { name: "Nog een" })],
      ["POST /companies with a number", () => owner.post("/companies", { name: "Eigen", client_number: "E-1" })],
      ["GET /companies/settings", () => owner.get("/companies/settings")],
      ["POST /contacts", () => owner.post("/contacts", { first_name: "Noor", last_name: "Bos", email: "noor@elders.example" })],
      ["POST /projects", () => owner.post("/projects", { name: "Tussendoor", company_id: client })],
      ["POST /tasks", () => owner.post("/tasks", { title: "Tussendoor" })],
      [
        "POST /invoicing/invoices",
        () =>
          owner.post("/invoicing/invoices", {
            company_id: client,
            lines: [{ description: "Werk", quantity: 1, unit_price: 10 }],
          }),
      ],
      ["GET /tasks/statuses", () => owner.get("/tasks/statuses")],
      ["POST /tasks/labels", () => owner.post("/tasks/labels", { name: "tussendoor", color: "sky" })],
      ["PATCH /meta/tenant", () => owner.patch("/meta/tenant", { brand_name: "Nieuwe naam" })],
    ];
    // At once: a lock is waited for ten seconds at most, also by the import.
    return Promise.all(asked.map(async ([name, ask]): Promise<[string, Answer]> => [name, await ask()]));
  };

  for (const one of HELD)
    it(`of ${one.table} holds up no write`, async () => {
      const { answer, release } = await hold(one);
      const answers = await writes();
      await release();
      for (const [name, { status, text }] of answers) expect(status, `${name}: ${text}`).to.be.within(200, 299);
      const { status, body, text } = await answer;
      expect([status, body.created, body.errors], text).to.deep.equal([200, ROWS, []]);
    });

  const companies = async () => (await tenant.owner.get("/companies?limit=200&sort=client_number")).body.items;

  it("numbers its clients behind those that others created meanwhile, without a gap", async () => {
    const { answer, release } = await hold(HELD[0] as Held, ";Bakkerij De Linde");
    const { body } = await tenant.owner.post("/companies", { name: "Tussendoor" });
    await release();
    expect((await answer).body).to.deep.include({ created: ROWS - 1, unchanged: 1 });
    const numbers = (await companies()).map((one: { client_number: string }) => one.client_number);
    expect(body.client_number).to.equal("0002");
    expect(numbers).to.deep.equal(Array.from({ length: ROWS + 1 }, (_, n) => String(n + 1).padStart(4, "0")));
  });

  it("takes no number away when it is rolled back, or only tried", async () => {
    const file = "Naam;E-mail facturen\nEen;\nTwee;geen adres\n";
    for (const query of ["?dry_run=false", "?dry_run=true"]) await sendSheet(tenant.owner, "company", file, query);
    await sendSheet(tenant.owner, "company", "Naam\nEen\n", "?dry_run=true");
    expect((await tenant.owner.post("/companies", { name: "Drie" })).body.client_number).to.equal("0002");
  });

  it("refuses the row whose number another client took meanwhile", async () => {
    const named: Held = { ...(HELD[0] as Held), columns: "Naam;Klantnummer", row: (n) => `Bedrijf ${n};K-${n}` };
    const { answer, release } = await hold(named);
    const { status } = await tenant.owner.post("/companies", { name: "Tussendoor", client_number: "K-7" });
    await release();
    const { body } = await answer;
    expect([status, body.created, errorsOf(body)]).to.deep.equal([
      201,
      0,
      ["9 client_number errors.companies.client_number_taken"],
    ]);
    expect(await companies()).to.have.length(2);
  });

  it("leaves a client that it changes usable for the work of others", async () => {
    const changing: Held = { ...(HELD[0] as Held), columns: "Naam;Telefoon", row: (n) => `Bedrijf ${n};` };
    const { answer, release } = await hold(changing, ";Bakkerij De Linde;030-2300000");
    const project = await tenant.owner.post("/projects", { name: "Tussendoor", company_id: client });
    await release();
    expect([project.status, (await answer).body.updated]).to.deep.equal([201, 1]);
  });

  it("places its tasks behind those that others created meanwhile, in the order of its rows", async () => {
    const { answer, release } = await hold(HELD[1] as Held);
    for (const title of ["Tussendoor 1", "Tussendoor 2"]) await tenant.owner.post("/tasks", { title });
    await release();
    expect((await answer).body.created).to.equal(ROWS);
    const { items } = (await tenant.owner.get("/tasks?limit=200")).body;
    expect(items.map(({ title }: { title: string }) => title)).to.deep.equal([
      ...["Tussendoor 1", "Tussendoor 2"],
      ...Array.from({ length: ROWS }, (_, n) => `Taak ${n}`),
    ]);
    expect(new Set(items.map(({ position }: { position: number }) => position)).size).to.equal(ROWS + 2);
  });
}).timeout(90_000);
