import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { CAPABILITIES } from "../../../core/declare/instance.ts";
import type { Booted } from "../../../operator/boot.ts";
import { LEFT_OUT, ONLY_ROWS, organisationTables } from "../../../operator/organisation-backup/catalogue.ts";
import { BACKUPS } from "../../../operator/organisation-backup/records.ts";
import { workOff } from "../../../operator/organisation-backup/work.ts";
import { ownerUrl } from "../../../operator/owner.ts";
import { administrator, instanceClient, type SignedInAdministrator } from "../../support/instance/administrator.ts";
import { until } from "../../support/jobs.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";
import { cli, environmentOf } from "../cli/cli-support.ts";

const NOBODY = "00000000-0000-7000-8000-000000000000";

describe("backups of an organisation", () => {
  let service: TestService;
  let admin: SignedInAdministrator;
  let tenant: Tenant;
  let company: { id: string; name: string };

  before(async () => {
    service = await startService();
    admin = await administrator(service, CAPABILITIES);
    tenant = await service.tenant();
    company = await tenant.company({ name: "Kept" });
  });
  after(() => service.stop());

  /** Does the work as the job does, unless the job is at it. */
  async function finished(address: string) {
    await workOff(ownerUrl());
    return until(async () => {
      const { body } = await admin.get(address);
      return !["waiting", "running"].includes(body.state) && body;
    });
  }

  async function made(organisation = tenant.organisation.id): Promise<string> {
    const { status, body, text } = await admin.post("/instance/backups", { organisation_id: organisation });
    expect(status, text).to.equal(202);
    const read = await finished(`/instance/backups/${body.id}`);
    expect(read.state, read.error).to.equal("ready");
    return body.id;
  }
  const restore = async (backup: string, slug: string) => {
    const { status, body, text } = await admin.post(`/instance/backups/${backup}/restore`, { slug });
    expect(status, text).to.equal(202);
    return finished(`/instance/restores/${body.id}`);
  };
  const dataDir = () => (service.node.booted as Booted).config.dataDir;
  const fileOf = (id: string) => path.join(dataDir(), "files", BACKUPS, id.slice(-2), id);

  it("are made by a job within seconds, listed, downloaded encrypted and deleted", async () => {
    const asked = await admin.post("/instance/backups", { organisation_id: tenant.organisation.id });
    expect([asked.status, asked.body.state, asked.body.requested_by]).to.deep.equal([202, "waiting", admin.email]);
    const { id } = asked.body;
    expect((await admin.post("/instance/backups", { organisation_id: tenant.organisation.id })).status).to.equal(422);
    const ready = await until(async () => {
      const { body } = await admin.get(`/instance/backups/${id}`);
      return ["ready", "failed"].includes(body.state) && body;
    });
    expect(ready.error).to.equal(null);
    expect(ready.rows).to.be.greaterThan(10);
    expect((Date.parse(ready.expires_at) - Date.now()) / 86_400_000).to.be.within(29.9, 30.1);
    const listed = await admin.get(`/instance/backups?organisation_id=${tenant.organisation.id}`);
    expect(listed.body.items.map((one: { id: string }) => one.id)).to.deep.equal([id]);
    const file = await admin.get(`/instance/backups/${id}/file`);
    expect([file.status, file.bytes.length]).to.deep.equal([200, ready.bytes]);
    expect(file.headers["content-disposition"]).to.contain(`${tenant.organisation.slug}-${id}`);
    expect(file.bytes.includes("Kept"), "nothing is legible").to.equal(false);
    expect((await admin.delete(`/instance/backups/${id}`)).status).to.equal(204);
    expect((await admin.get(`/instance/backups/${id}`)).status).to.equal(404);
    expect(() => readFileSync(fileOf(id))).to.throw("ENOENT");
    const { rows } = await service.sql.query("select action from operator_audit where organisation = $1 order by created_at", [
      tenant.organisation.id,
    ]);
    expect(rows.map(({ action }) => action)).to.deep.equal(["backup.requested", "backup.deleted"]);
  });

  it("restore a suspended copy, which its people use once it is resumed; waiting mails stay behind", async () => {
    await service.sql.query(
      `insert into mails (id, organisation_id, kind, status, to_address, variables, attempts)
       values (gen_random_uuid(), $1, 'proof', 'queued', 'a@client.example', '{}', 0)`,
      [tenant.organisation.id],
    );
    const backup = await made();
    const { state, organisation_id: id, error } = await restore(backup, "beside");
    expect([state, error]).to.deep.equal(["done", null]);
    const host = tenant.host.replace(tenant.organisation.slug, "beside");
    const signIn = () => service.call("GET", "/companies", { host, key: tenant.owner.key });
    expect((await signIn()).status).to.equal(403);
    expect((await admin.post(`/instance/organisations/${id}/resume`)).status).to.equal(200);
    expect((await signIn()).status, "keys are left out").to.equal(401);
    const counted = async (table: string) =>
      (await service.sql.query(`select count(*)::int as n from ${table} where organisation_id = $1`, [id])).rows[0].n;
    expect([await counted("companies"), await counted("api_keys"), await counted("sessions")]).to.deep.equal([1, 0, 0]);
    expect(
      (await service.sql.query("select from mails where organisation_id = $1 and status = 'queued'", [id])).rowCount,
    ).to.equal(0);
    const { rows } = await service.sql.query("select id, name from companies where organisation_id = $1", [id]);
    expect([rows[0].name, rows[0].id === company.id]).to.deep.equal(["Kept", false]);
    expect((await admin.post(`/instance/backups/${backup}/restore`, { slug: "beside" })).body.error.details.reason).to.contain(
      "in use",
    );
  });

  it("restore nothing from a damaged file, or one of another schema", async () => {
    const backup = await made();
    const before = (await service.sql.query("select count(*)::int as n from organisations")).rows[0].n;
    const bytes = readFileSync(fileOf(backup));
    const damaged = Buffer.from(bytes);
    damaged.writeUInt8(damaged.readUInt8(bytes.length - 40) ^ 1, bytes.length - 40);
    writeFileSync(fileOf(backup), damaged);
    const broken = await restore(backup, "broken");
    expect([broken.state, broken.error]).to.deep.equal([
      "failed",
      "The backup is damaged, or its key is another one; nothing was restored.",
    ]);
    writeFileSync(fileOf(backup), bytes);
    await service.sql.query("insert into migrations (name) values ('9999-later')");
    const other = await restore(backup, "broken");
    await service.sql.query("delete from migrations where name = '9999-later'");
    expect(other.error).to.contain("9999-later");
    expect((await service.sql.query("select count(*)::int as n from organisations")).rows[0].n).to.equal(before);
    expect((await restore(backup, "broken")).state, "the same backup works afterwards").to.equal("done");
  });

  it("end after their days", async () => {
    const id = await made();
    await service.sql.query("update organisation_backups set expires_at = now() where id = $1", [id]);
    await workOff(ownerUrl());
    expect((await admin.get(`/instance/backups/${id}`)).status).to.equal(404);
    expect(() => readFileSync(fileOf(id))).to.throw("ENOENT");
  });

  it("are hidden from a key for other organisations, which restores none", async () => {
    const id = await made();
    const other = await service.tenant();
    const issued = await admin.post("/instance/keys", {
      name: "Other",
      capabilities: ["backups", "updates"],
      organisations: [other.organisation.id],
    });
    const key = instanceClient(service.port, { key: issued.body.value });
    expect((await key.get("/instance/backups")).body.items).to.deep.equal([]);
    for (const answer of [
      await key.get(`/instance/backups/${id}`),
      await key.get(`/instance/backups/${id}/file`),
      await key.delete(`/instance/backups/${id}`),
      await key.post("/instance/backups", { organisation_id: tenant.organisation.id }),
    ])
      expect(answer.status).to.equal(404);
    expect((await key.post(`/instance/backups/${id}/restore`, { slug: "other" })).status).to.equal(403);
    expect((await key.post("/instance/backups", { organisation_id: other.organisation.id })).status).to.equal(202);
    expect((await admin.get(`/instance/restores/${NOBODY}`)).status).to.equal(404);
  });

  it("work on the command line, by the same functions", async () => {
    const env = environmentOf(service.database);
    const json = async (...argv: string[]) => {
      const ran = await cli(env, [...argv, "--json"]);
      expect(ran.err).to.equal("");
      return ran.json;
    };
    const { slug } = tenant.organisation;
    const { id } = await json("org", "backup", "create", "--org", slug);
    expect((await json("org", "backup", "list", "--org", slug))[0]).to.deep.include({
      id,
      state: "ready",
      requested_by: "command line",
    });
    const file = path.join(dataDir(), "one.kantoor");
    await json("org", "backup", "download", id, file);
    expect(readFileSync(file).equals(readFileSync(fileOf(id)))).to.equal(true);
    expect(await json("org", "backup", "restore", id, "--slug", "by-command")).to.deep.include({
      slug: "by-command",
      state: "done",
    });
    expect((await cli(env, ["org", "backup", "restore", id, "--slug", "by-command"])).err).to.contain("in use");
    await json("org", "backup", "delete", id);
    expect((await cli(env, ["org", "backup", "delete", id])).err).to.contain("no backup");
  });

  describe("over all tables with an organisation", () => {
    const tables = () => organisationTables(service.sql);
    const query = async (text: string, values: unknown[] = []) => (await service.sql.query(text, values)).rows;

    it("forget none: each omitted table has a reason, and no restored row refers to it", async () => {
      const all = (await tables()).map(({ name }) => name);
      const named = await query(
        `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'organisation_id' and not a.attisdropped
          where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace`,
      );
      expect([...all].sort()).to.deep.equal(named.map(({ name }) => name).sort());
      const partly = [...Object.keys(LEFT_OUT), ...Object.keys(ONLY_ROWS)];
      expect(partly.filter((name) => !all.includes(name))).to.deep.equal([]);
      const references = await query(
        `select k.conrelid::regclass::text as name, k.confrelid::regclass::text as parent from pg_constraint k
          where k.contype = 'f' and k.confrelid::regclass::text = any($1) and k.conrelid <> k.confrelid`,
        [partly],
      );
      const lost = references.filter(({ name, parent }) => LEFT_OUT[name] === undefined && LEFT_OUT[parent] !== undefined);
      expect(lost).to.deep.equal([]);
      const both = references.filter(({ name }) => LEFT_OUT[name] === undefined);
      expect(both, "rows that refer to rows which may be left out").to.deep.equal([]);
    });

    it("meet triggers that do nothing meanwhile", async () => {
      const all = (await tables()).map(({ name }) => name);
      const fires = await query(
        `select g.tgrelid::regclass::text as table, g.tgname as name from pg_trigger g
          where not g.tgisinternal and g.tgrelid::regclass::text = any($1) and pg_get_triggerdef(g.oid) !~ 'app.whole_organisation'`,
        [all],
      );
      expect(fires, "add `current_setting('app.whole_organisation', true) is distinct from 'on'` to its condition").to.deep.equal(
        [],
      );
    });

    it("empty in a copy what is unique in the installation, and can be empty", async () => {
      const included = (await tables()).filter(({ name }) => LEFT_OUT[name] === undefined);
      const unique = included.flatMap(({ name, unique: columns }) => columns.map((column) => `${name}.${column}`));
      expect(unique).to.deep.equal(["invoices.public_token", "quotes.public_token"]);
      for (const { name, later } of included)
        for (const column of later)
          expect(
            await query("select attnotnull from pg_attribute where attrelid = $1::regclass and attname = $2", [name, column]),
          ).to.deep.equal([{ attnotnull: false }]);
    });
  });

  it("show versions and steps of the schema, with the capability `updates`", async () => {
    const { body } = await admin.get("/instance/updates");
    expect(body).to.deep.include({ steps_pending: [], steps_unknown: [], is_uniform: true });
    expect(body.nodes.map((node: { version: string }) => node.version)).to.deep.equal([body.version]);
    expect(body.steps_applied).to.include("0161-organisation-backups");
    await service.sql.query("insert into migrations (name) values ('9999-later')");
    const newer = (await admin.get("/instance/updates")).body;
    await service.sql.query("delete from migrations where name = '9999-later'");
    expect(newer).to.deep.include({ steps_unknown: ["9999-later"], is_uniform: false });
  });
});
