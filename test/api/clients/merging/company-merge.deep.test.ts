import { expect } from "chai";
import { startService, type Tenant, type TestService } from "../../../support/service.ts";

type Row = Record<string, unknown>;

describe("merging clients: clashes, races and failures", function () {
  this.timeout(120_000);
  let service: TestService;
  let tenant: Tenant;
  let [kept, other] = ["", ""];
  before(async () => {
    service = await startService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    [kept, other] = [(await tenant.company({ name: "Kept" })).id, (await tenant.company({ name: "Other" })).id];
  });
  after(() => service.stop());

  const merge = (id = kept, from = other) => tenant.owner.post(`/companies/${id}/merge`, { from });
  const insert = async (table: string, row: Row) => {
    const values = { organisation_id: tenant.organisation.id, ...row };
    const names = Object.keys(values);
    await service.sql.query(
      `insert into ${table} (${names.join(", ")}) values (${names.map((_, index) => `$${index + 1}`).join(", ")})`,
      Object.values(values),
    );
  };
  const read = async (text: string) => (await service.sql.query(text, [tenant.organisation.id])).rows;
  const uuid = () => crypto.randomUUID();

  it("keep the kept client's row where there can be one, and number reports of one period on", async () => {
    for (const company_id of [kept, other]) {
      const entity = { entity_type: "company", entity_id: company_id };
      await insert("report_profiles", { id: uuid(), company_id, display_name: company_id });
      await insert("marketing_company_settings", { id: uuid(), company_id });
      await insert("notification_watches", { ...entity, account_id: tenant.owner.accountId, watching: company_id === kept });
      await insert("external_refs", {
        id: uuid(),
        provider: "p",
        local_type: "company",
        local_id: company_id,
        external_id: company_id,
      });
      await insert("drive_links", {
        id: uuid(),
        company_id,
        drive_file_id: "same",
        drive_url: "u",
        name: "n",
        is_folder: true,
        is_root: false,
      });
      await insert("drive_links", {
        id: uuid(),
        company_id,
        drive_file_id: company_id,
        drive_url: "u",
        name: company_id,
        is_folder: true,
        is_root: true,
      });
      for (const revision of [1, 2])
        await insert("reports", {
          ...{ id: uuid(), company_id, company_name: company_id, audience: "client", locale: "nl", title: "T", revision },
          ...{ period_start: "2026-01-01", period_end: "2026-01-31", compare_start: "2025-01-01", compare_end: "2025-01-31" },
        });
    }
    const answer = await merge();
    expect(answer.status, answer.text).to.equal(200);
    expect(await read("select company_id, display_name from report_profiles where organisation_id = $1")).to.deep.equal([
      { company_id: kept, display_name: kept },
    ]);
    expect(await read("select local_id, external_id from external_refs where organisation_id = $1")).to.deep.equal([
      { local_id: kept, external_id: kept },
    ]);
    expect(await read("select entity_id, watching from notification_watches where organisation_id = $1")).to.deep.include({
      entity_id: kept,
      watching: true,
    });
    const links = await read("select company_id, drive_file_id, is_root from drive_links where organisation_id = $1");
    expect(links).to.have.length(3);
    expect(links.filter(({ is_root: root }) => root)).to.deep.equal([{ company_id: kept, drive_file_id: kept, is_root: true }]);
    expect(
      await read(
        "select company_name, revision from reports where organisation_id = $1 and company_id is not null order by revision",
      ),
    ).to.deep.equal([
      { company_name: kept, revision: 1 },
      { company_name: kept, revision: 2 },
      { company_name: other, revision: 3 },
      { company_name: other, revision: 4 },
    ]);
    const dropped = (answer.body.dropped as { records: string }[]).map(({ records }) => records);
    expect(dropped).to.have.members([
      "drive_links",
      "external_refs",
      "marketing_company_settings",
      "notification_watches",
      "report_profiles",
    ]);
  });

  it("takes the logo of the other, or removes it", async () => {
    const third = (await tenant.company({ name: "Third" })).id;
    for (const id of [other, third]) {
      const [file, content] = [uuid(), uuid()];
      await insert("file_contents", {
        id: content,
        backend: "disk",
        sha256: Buffer.from(id.replaceAll("-", "").repeat(2), "hex"),
        size: 1,
      });
      await insert("files", {
        id: file,
        content_id: content,
        entity_type: "company_logo",
        entity_id: id,
        name: id,
        type: "image/png",
      });
      await service.sql.query("update companies set logo_file_id = $2 where id = $1", [id, file]);
    }
    const answer = await merge();
    expect(answer.body.filled).to.include("logo_file_id");
    expect((await merge(kept, third)).status).to.equal(200);
    expect(await read("select entity_id, name from files where organisation_id = $1")).to.deep.equal([
      { entity_id: kept, name: other },
    ]);
  });

  it("happens once when two callers merge the same pair at once, in either direction", async () => {
    const tasks = await Promise.all([kept, other].map((company_id) => tenant.owner.post("/tasks", { title: "T", company_id })));
    expect(tasks.map(({ status }) => status)).to.deep.equal([201, 201]);
    const answers = await Promise.all([merge(), merge(other, kept), merge(), merge(other, kept)]);
    expect(answers.map(({ status }) => status).toSorted()).to.deep.equal([200, 404, 404, 404]);
    const [left] = await read("select id from companies where organisation_id = $1");
    expect(await read("select distinct company_id as id from tasks where organisation_id = $1")).to.deep.equal([left]);
  });

  it("loses no record that is created meanwhile", async () => {
    const answers = await Promise.all([
      merge(),
      ...Array.from({ length: 12 }, (_, index) => tenant.owner.post("/tasks", { title: `T${index}`, company_id: other })),
    ]);
    expect(answers[0]?.status).to.equal(200);
    const made = answers.slice(1).filter(({ status }) => status === 201);
    for (const { status } of answers.slice(1)) expect(status).to.be.oneOf([201, 404, 409, 422]);
    const rows = await read("select company_id from tasks where organisation_id = $1");
    expect(rows).to.have.length(made.length);
    for (const row of rows) expect(row.company_id).to.equal(kept);
  });

  it("stores nothing when it fails at its end", async () => {
    await tenant.owner.post("/tasks", { title: "T", company_id: other });
    await service.sql.query(`create function refuse() returns trigger language plpgsql as $$ begin raise exception 'fails here'; end $$;
      create trigger zz_refuse before delete on companies for each row when (old.name = 'Other') execute function refuse()`);
    try {
      expect((await merge()).status).to.equal(500);
    } finally {
      await service.sql.query("drop trigger zz_refuse on companies; drop function refuse()");
    }
    expect(await read("select company_id from tasks where organisation_id = $1")).to.deep.equal([{ company_id: other }]);
    expect(await read("select 1 from record_aliases where organisation_id = $1")).to.have.length(0);
    expect((await merge()).status).to.equal(200);
  });
});
