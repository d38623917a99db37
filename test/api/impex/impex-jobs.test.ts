import { expect } from "chai";
import { errorsOf, sendSheet } from "../../support/impex.ts";
import { fire, until } from "../../support/jobs.ts";
import { fileBody } from "../../support/multipart.ts";
import { type Caller, startService, type Tenant, type TestService } from "../../support/service.ts";

const LONG = 2001;

describe("imports that are too long for one call", () => {
  let service: TestService;
  let tenant: Tenant;

  before(async () => {
    // Its own: the last test waits until no job is left, and others leave some.
    service = await startService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const sheet = (rows: number, row = (n: number) => `K-${n};Bedrijf ${n}`) =>
    `Klantnummer;Naam\n${Array.from({ length: rows }, (_, n) => row(n)).join("\n")}\n`;
  const start = async (caller: Caller, file: string, query = "?dry_run=false"): Promise<string> => {
    const { status, body, text } = await sendSheet(caller, "company", file, query);
    expect(status, text).to.equal(202);
    expect(Object.keys(body)).to.deep.equal(["job_id"]);
    return body.job_id;
  };
  const ended = (caller: Caller, id: string) =>
    until(async () => {
      const { body } = await caller.get(`/impex/jobs/${id}`);
      return ["done", "failed"].includes(body.status) && body;
    }, 110_000);
  const companies = async () => (await tenant.owner.get("/companies?limit=1")).body.total;
  const files = async () =>
    (await service.sql.query("select 1 from files where organisation_id = $1", [tenant.organisation.id])).rowCount;

  it("are accepted with 202, and end with the report of a short one", async () => {
    const id = await start(
      tenant.owner,
      sheet(LONG, (n) => (n === 0 ? "K-0;Bakker;" : `K-${n};Bedrijf ${n}`)),
    );
    const job = await ended(tenant.owner, id);
    expect(job).to.deep.include({ id, entity: "company", dry_run: false, status: "done", error: null });
    expect([job.rows_done, job.rows_total]).to.deep.equal([LONG, LONG]);
    expect(job.result).to.deep.equal({
      rows: LONG,
      created: LONG,
      updated: 0,
      unchanged: 0,
      also_created: 0,
      errors: [],
      left_out: [],
      namesakes: [],
      ignored_columns: [],
      taken_as: [],
      ambiguous: [],
      sheet: null,
      header_row: 1,
    });
    expect(Date.parse(job.ended_at)).to.be.at.least(Date.parse(job.started_at));
    expect([await companies(), await files()]).to.deep.equal([LONG, 0]);
    const { rows } = await service.sql.query(
      "select distinct actor_account_id as who from activity where organisation_id = $1 and entity_type = 'company'",
      [tenant.organisation.id],
    );
    expect(rows).to.deep.equal([{ who: tenant.owner.accountId }]);
  });

  it("write nothing by default", async () => {
    const job = await ended(tenant.owner, await start(tenant.owner, sheet(LONG), ""));
    expect(job).to.deep.include({ dry_run: true, status: "done" });
    expect([job.result.created, await companies()]).to.deep.equal([LONG, 0]);
  });

  it("report errors line by line, a page at a time, and write nothing then", async () => {
    const file = sheet(LONG, (n) => `K-${n};${n < 300 ? "" : `Bedrijf ${n}`}`);
    const id = await start(tenant.owner, file);
    const job = await ended(tenant.owner, id);
    expect(job).to.deep.include({ status: "done", errors_total: 300, left_out_total: 0, namesakes_total: 0 });
    expect([job.result.created, job.result.errors.length, await companies()]).to.deep.equal([0, 200, 0]);
    expect(errorsOf(job.result)[0]).to.equal("2 name errors.required");
    const { body } = await tenant.owner.get(`/impex/jobs/${id}?limit=1&offset=299`);
    expect(errorsOf(body.result)).to.deep.equal(["301 name errors.required"]);
  });

  it("report a value that is cut through a character of two UTF-16 units", async () => {
    const value = `${"x".repeat(99)}\u{1f600}${"y".repeat(200)}`;
    const file = `Klantnummer;Naam;E-mail\n${Array.from({ length: LONG }, (_, n) => `K-${n};Bedrijf ${n};${n === 0 ? value : ""}`).join("\n")}\n`;
    const job = await ended(tenant.owner, await start(tenant.owner, file, ""));
    expect([job.status, job.result?.errors.map((one: { value: string }) => one.value)]).to.deep.equal([
      "done",
      [`${"x".repeat(99)}…`],
    ]);
  });

  it("take the mapping and the switches of the call", async () => {
    const file = sheet(LONG, (n) => `K-${n};Bedrijf ${n}`).replace("Naam", "Wie");
    const job = await ended(tenant.owner, await start(tenant.owner, file, "?dry_run=false&map=name%3DWie"));
    expect(job.result).to.include({ created: LONG });
  });

  it("fail with the answer of a short one", async () => {
    const file = sheet(LONG).replace("Naam", "Wie");
    const job = await ended(tenant.owner, await start(tenant.owner, file));
    expect(job).to.deep.include({
      status: "failed",
      result: null,
      error: { code: "validation", message: "errors.validation", fields: { name: "impex.errors.missing_column" } },
    });
    expect(await files()).to.equal(0);
  });

  it("do not begin for more than 50,000 rows", async () => {
    const { status, body } = await sendSheet(
      tenant.owner,
      "company",
      sheet(50_001, (n) => `${n};x`),
    );
    expect([status, body.error.code, body.error.details]).to.deep.equal([413, "too_many_rows", { limit: 50_000 }]);
  });

  it("are shown to who started them alone, while that may import", async () => {
    const admin = await tenant.member("admin");
    const robot = await tenant.serviceAccount(["impex.import", "companies.company.write", "companies.company.read"]);
    const [id, other] = [await start(admin, sheet(LONG), ""), await start(robot, sheet(LONG), "")];
    await ended(admin, id);
    await ended(robot, other);
    const stranger = (await service.tenant()).owner;
    for (const [caller, job] of [
      [tenant.owner, id],
      [stranger, id],
      [admin, other],
      [robot, id],
    ] as const)
      expect((await caller.get(`/impex/jobs/${job}`)).status).to.equal(404);
    const member = await tenant.member("member");
    expect((await member.get(`/impex/jobs/${id}`)).status).to.equal(403);
  });

  it("do what their starter may do when they begin", async () => {
    const admin = await tenant.member("admin");
    const robot = await tenant.serviceAccount(["impex.import", "companies.company.write"]);
    // Jobs of one kind wait for each other, so that these have not begun yet.
    const first = await start(tenant.owner, sheet(6000), "");
    const [late, revoked] = [await start(admin, sheet(LONG)), await start(robot, sheet(LONG))];
    expect((await tenant.owner.delete(`/members/${admin.membershipId}`)).status).to.be.below(300);
    await service.sql.query(
      "update api_keys set revoked_at = now() where id = (select (starter -> 'credential' ->> 'id')::uuid from impex_jobs where id = $1)",
      [revoked],
    );
    await ended(tenant.owner, first);
    const rows = await until(async () => {
      const found = await service.sql.query("select status, error from impex_jobs where id = any($1) order by created_at", [
        [late, revoked],
      ]);
      return found.rows.every(({ status }) => status === "failed") ? (found.rows as { error: unknown }[]) : null;
    });
    for (const { error } of rows) expect(error).to.deep.equal({ code: "forbidden", message: "errors.forbidden" });
    expect(await companies()).to.equal(0);
  });

  it("are answered once for one Idempotency-Key", async () => {
    const headers = { "Idempotency-Key": "import-1" };
    const { body, headers: form } = fileBody(sheet(LONG), "text/csv", "a.csv");
    const answers = [];
    for (let n = 0; n < 2; n++)
      answers.push(await tenant.owner.post("/impex/company", body, { headers: { ...form, ...headers } }));
    expect(answers.map(({ status }) => status)).to.deep.equal([202, 202]);
    expect(answers[1]?.body).to.deep.equal(answers[0]?.body);
    await ended(tenant.owner, answers[0]?.body.job_id);
  });

  it("are removed seven days after their start", async () => {
    const id = await start(tenant.owner, sheet(LONG), "");
    await ended(tenant.owner, id);
    await service.sql.query("update impex_jobs set created_at = created_at - interval '6 days 23 hours' where id = $1", [id]);
    await fire(service, "impex.clean");
    expect((await tenant.owner.get(`/impex/jobs/${id}`)).status).to.equal(200);
    await service.sql.query("update impex_jobs set created_at = created_at - interval '2 hours' where id = $1", [id]);
    await fire(service, "impex.clean");
    expect((await tenant.owner.get(`/impex/jobs/${id}`)).status).to.equal(404);
  });
}).timeout(240_000);
