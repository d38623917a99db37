import { randomUUID } from "node:crypto";
import { expect } from "chai";
import pg from "pg";
import { until as met } from "../../support/jobs.ts";
import { fileBody } from "../../support/multipart.ts";
import { follow } from "../../support/poller.ts";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";

const BEGINNING = "2000-01-01T00:00:00Z";
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

describe("Updated-Until", () => {
  let service: TestService;
  let tenant: Tenant;
  const open: pg.Client[] = [];
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  afterEach(async () => {
    for (const client of open.splice(0)) await client.end();
  });
  after(() => service.stop());

  const list = async (path: string, since: string) => {
    const answer = await tenant.owner.get(`${path}?limit=200&updated_since=${encodeURIComponent(since)}`);
    return {
      until: answer.headers["updated-until"] as string,
      names: answer.body.items.map(({ name }: { name: string }) => name),
    };
  };

  /** A transaction of another node: bound to the organisation, with one company in it that other transactions do not see yet. */
  async function writing(url: string, name: string): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: url });
    open.push(client);
    await client.connect();
    await client.query("begin");
    await client.query("select set_config('app.organisation_id', $1, true)", [tenant.organisation.id]);
    await client.query("insert into companies (id, organisation_id, name) values ($1, $2, $3)", [
      randomUUID(),
      tenant.organisation.id,
      name,
    ]);
    return client;
  }

  it("comes with lists with updated_since, and with no other", async () => {
    expect((await list("/companies", BEGINNING)).until).to.match(INSTANT);
    expect((await tenant.owner.get("/companies")).headers["updated-until"]).to.equal(undefined);
    expect((await tenant.owner.get(`/roles?updated_since=${BEGINNING}`)).headers["updated-until"]).to.match(INSTANT);
  });

  it("costs a statement on request, and none otherwise", async () => {
    const statements = async (query: string) => (await tenant.owner.get(`/companies?limit=1${query}`)).statements as number;
    await statements("");
    const plain = await statements("");
    // A caller's first one stores what the caller sees.
    await statements("&updated_since=2000-01-01T00:00:00Z");
    expect(await statements("&updated_since=2000-01-01T00:00:00Z")).to.equal(plain + 1);
    expect(plain).to.equal(1);
  });

  it("lies before every row of a transaction that was open when the list was read", async () => {
    const client = await writing(service.database.application, "Slow");
    await tenant.company({ name: "Quick" });
    const first = await list("/companies", BEGINNING);
    expect(first.names).to.deep.equal(["Quick"]);
    const again = await list("/companies", first.until);
    await client.query("commit");
    expect((await list("/companies", again.until)).names).to.include("Slow");
  });

  it("moves nowhere while another role writes, the beginning of whose transactions the service cannot see", async () => {
    const client = await writing(service.database.owner, "Of the owner");
    const { until } = await list("/companies", BEGINNING);
    expect(until).to.equal("2000-01-01T00:00:00.000000Z");
    await client.query("commit");
    expect((await list("/companies", until)).names).to.include("Of the owner");
    // PostgreSQL's own upkeep of the tables counts as another role, for a moment.
    await met(async () => (await list("/companies", until)).until > "2020");
  });

  it("makes a poller miss none of 2,000 imported contacts and of those created by hand meanwhile", async () => {
    const rows = Array.from({ length: 2000 }, (_, n) => `Imported,Contact ${n},imported${n}@example.com`);
    const { body, headers } = fileBody(["first_name,last_name,email", ...rows].join("\n"), "text/csv", "contacts.csv");
    let imported = false;
    let isOver = false;
    let made = 0;
    const importing = tenant.owner.post("/impex/contact?dry_run=false", body, { headers }).then((answer) => {
      imported = true;
      return answer;
    });
    const byHand = (async () => {
      while (!imported) await tenant.owner.post("/contacts", { first_name: `By hand ${++made}` });
    })();
    const writing = Promise.all([importing, byHand]).finally(() => (isOver = true));
    const seen = await follow(
      (path) => tenant.owner.get(path),
      "/contacts",
      () => isOver,
    );
    expect((await writing)[0].body.created).to.equal(2000);
    const { rows: all } = await service.sql.query("select id from contacts where organisation_id = $1", [tenant.organisation.id]);
    expect(all.filter(({ id }) => !seen.has(id))).to.deep.equal([]);
    expect(all).to.have.length(2000 + made);
    expect(made).to.be.greaterThan(0);
  });
});
