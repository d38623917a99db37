import { randomUUID } from "node:crypto";
import { readdirSync, readlinkSync, rmSync } from "node:fs";
import { connect } from "node:net";
import path from "node:path";
import { expect } from "chai";
import { runtime } from "../../../core/config/runtime.ts";
import { until } from "../../support/jobs.ts";
import { png } from "../../support/pictures.ts";
import { type Caller, startService, type Tenant, type TestService } from "../../support/service.ts";
import { officeFile } from "../../support/zip.ts";
import { attach, storedFiles, storeHolds } from "./files-support.ts";

const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
const EXCEL = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

describe("files", () => {
  let service: TestService;
  let tenant: Tenant;
  let company: string;
  let owner: Caller;
  before(async () => {
    service = await startService({ SERVICE_UPLOAD_LIMIT: "200000" });
    tenant = await service.tenant();
    owner = tenant.owner;
  });
  beforeEach(async () => {
    company = `entity_type=company&entity_id=${(await tenant.company()).id}`;
  });
  after(() => service.stop());

  const listed = async (query = company, caller = owner): Promise<{ filename: string; id: string }[]> =>
    (await caller.get(`/files?${query}`)).body;

  describe("POST /files", () => {
    it("attaches a file to a record and answers 201 with its metadata", async () => {
      const { status, body, headers } = await attach(owner, company, "line\r\n", "text/plain; charset=utf-8", "notes.txt");
      expect(status).to.equal(201);
      const { id, created_at, updated_at, ...rest } = body;
      expect([id, created_at, updated_at].every((value) => typeof value === "string")).to.equal(true);
      expect(rest).to.deep.equal({
        org_id: tenant.organisation.id,
        entity_type: "company",
        entity_id: company.split("=").at(-1),
        filename: "notes.txt",
        content_type: "text/plain",
        size: 6,
        inline: false,
        uploaded_by_user_id: owner.accountId,
        uploaded_by_name: rest.uploaded_by_name,
      });
      expect(rest.uploaded_by_name).to.be.a("string");
      expect(headers).to.not.have.property("set-cookie");
    });

    it("is 404 for a record that does not exist, belongs elsewhere, or is of an unknown kind", async () => {
      const other = await service.tenant();
      const theirs = (await other.company()).id;
      const before = storedFiles().length;
      for (const query of [
        `entity_type=company&entity_id=${randomUUID()}`,
        `entity_type=company&entity_id=${theirs}`,
        `entity_type=spaceship&entity_id=${company.split("=").at(-1)}`,
        `entity_type=contact&entity_id=${company.split("=").at(-1)}`,
        `entity_type=branding&entity_id=${randomUUID()}`,
        `entity_type=avatar&entity_id=${randomUUID()}`,
        `entity_type=avatar&entity_id=${other.owner.accountId}`,
      ]) {
        const { status, body } = await attach(owner, query, png(), "image/png");
        expect([status, body.error.code], query).to.deep.equal([404, "not_found"]);
      }
      await storeHolds(before);
    });

    it("is 422 without a kind, without an id where the kind needs one, and for a file that is not allowed", async () => {
      const fields = async (...given: Parameters<typeof attach>) => (await attach(...given)).body.error.fields;
      expect(await fields(owner, "")).to.deep.equal({ entity_type: "errors.required" });
      expect(await fields(owner, "entity_type=company")).to.deep.equal({ entity_id: "errors.required" });
      expect(await fields(owner, company, "x", "text/html", "x.html")).to.deep.equal({ file: "errors.upload_type" });
      const large = await attach(owner, company, "x".repeat(200_001));
      expect([large.status, large.body.error.fields]).to.deep.equal([413, { file: "errors.upload_too_large" }]);
    });

    it("needs files.file.write, and no permission to write the record", async () => {
      const reader = await tenant.member("member", { grants: ["companies.company.read"] });
      expect((await attach(reader, company)).status).to.equal(403);
      const writer = await tenant.member("member", { grants: ["companies.company.read", "files.file.write"] });
      expect((await attach(writer, company)).status).to.equal(201);
      const blind = await tenant.member("member", { grants: ["files.file.write"] });
      expect((await attach(blind, company)).status).to.equal(404);
    });

    it("works for a service account, under its name", async () => {
      const robot = await tenant.serviceAccount(["companies.company.read", "files.file.write"]);
      const { status, body } = await attach(robot, company);
      expect(status).to.equal(201);
      expect([body.uploaded_by_user_id, body.uploaded_by_name]).to.deep.equal([null, robot.email]);
    });

    it("leaves a line on the record's trail, as removing does", async () => {
      const { body } = await attach(owner, company, "x", "text/plain", "offerte.txt");
      await owner.delete(`/files/${body.id}`);
      const lines = (await owner.get(`/activity?${company}`)).body;
      const reported = lines.map(({ action, payload }: { action: string; payload: object }) => [action, payload]);
      expect(reported.slice(0, 2)).to.deep.equal([
        ["file_removed", { filename: "offerte.txt" }],
        ["file_attached", { filename: "offerte.txt" }],
      ]);
    });

    it("does nothing twice for one Idempotency-Key, and leaves one copy of the bytes", async () => {
      const before = storedFiles().length;
      const key = { "Idempotency-Key": randomUUID() };
      const content = randomUUID();
      const send = () => attach(owner, company, content, "text/plain", "a.txt", key);
      const [one, two] = await Promise.all([send(), send()]);
      const again = await send();
      const good = [one, two, again].filter(({ status }) => status === 201);
      expect(good.length).to.be.at.least(2);
      expect(new Set(good.map(({ text }) => text)).size).to.equal(1);
      expect((await listed()).length).to.equal(1);
      await storeHolds(before + 1);
    });
  });

  it("a repeat with the same Idempotency-Key gets its answer even when the record is gone", async () => {
    const { id } = await tenant.company();
    const key = { "Idempotency-Key": randomUUID() };
    const send = () => attach(owner, `entity_type=company&entity_id=${id}`, "once", "text/plain", "a.txt", key);
    const first = await send();
    await owner.delete(`/companies/${id}`);
    const again = await send();
    expect([again.status, again.text, again.headers["idempotent-replayed"]]).to.deep.equal([201, first.text, "true"]);
    expect((await owner.get(`/files/${first.body.id}`)).status).to.equal(404);
  });

  describe("GET /files", () => {
    it("lists the files of a record, oldest first, without those that are part of a text", async () => {
      for (const name of ["one.txt", "two.txt"]) await attach(owner, company, name, "text/plain", name);
      await attach(owner, `${company}&inline=true`, png(), "image/png", "pasted.png");
      expect((await listed()).map(({ filename }) => filename)).to.deep.equal(["one.txt", "two.txt"]);
      const all = await listed(`${company}&include_inline=true`);
      expect(all.map(({ filename }) => filename)).to.deep.equal(["one.txt", "two.txt", "pasted.png"]);
    });

    it("gives at most 200, in as many statements as one", async () => {
      const [, , id] = company.split("=");
      await listed();
      const few = await owner.get(`/files?${company}`);
      await attach(owner, company);
      await service.sql.query(
        `insert into files (id, organisation_id, content_id, entity_type, entity_id, name, type, created_at)
         select gen_random_uuid(), organisation_id, content_id, entity_type, entity_id, 'n' || n, type, created_at + n * interval '1 second'
           from files, generate_series(1, 250) n where entity_id = $1`,
        [id],
      );
      const many = await owner.get(`/files?${company}`);
      expect(many.body).to.have.length(200);
      expect(many.statements).to.equal(few.statements);
      expect((await listed())[0]?.filename).to.equal("notes.txt");
    });

    it("is empty for a record that does not exist, belongs elsewhere, or is of an unknown kind, and needs both parameters", async () => {
      const other = await service.tenant();
      for (const query of [
        `entity_type=company&entity_id=${randomUUID()}`,
        `entity_type=company&entity_id=${(await other.company()).id}`,
        `entity_type=spaceship&entity_id=${randomUUID()}`,
      ])
        expect(await listed(query), query).to.deep.equal([]);
      const { status, body } = await owner.get("/files");
      expect([status, body.error.fields]).to.deep.equal([422, { entity_type: "errors.required", entity_id: "errors.required" }]);
    });

    it("is empty for who may not read records of that kind", async () => {
      await attach(owner, company);
      const nobody = await tenant.member("member", { grants: [] });
      expect(await listed(company, nobody)).to.deep.equal([]);
    });
  });

  describe("GET /files/{file_id}", () => {
    it("answers the bytes with their type, tag and caching", async () => {
      const bytes = png();
      const { body } = await attach(owner, company, bytes, "image/png", 'logo "2".png');
      const { status, headers, bytes: got } = await owner.get(`/files/${body.id}`);
      expect([status, got.equals(bytes)]).to.deep.equal([200, true]);
      expect(headers).to.include({
        "content-type": "image/png",
        "content-length": String(bytes.length),
        etag: `"${body.id}"`,
        "cache-control": "private, max-age=3600",
        "x-content-type-options": "nosniff",
        "content-security-policy": "frame-ancestors 'self'",
      });
    });

    it("answers 304 without a body to who has it, and the headers alone to HEAD", async () => {
      const { body } = await attach(owner, company, "x");
      const ask = (tag: string) => owner.get(`/files/${body.id}`, { headers: { "If-None-Match": tag } });
      for (const tag of [`"${body.id}"`, `"other", "${body.id}"`, `W/"${body.id}"`, "*"]) {
        const { status, text, headers } = await ask(tag);
        expect([status, text], tag).to.deep.equal([304, ""]);
        expect(headers).to.include({ etag: `"${body.id}"`, "cache-control": "private, max-age=3600" });
        expect(headers).to.not.have.any.keys("content-disposition", "content-length");
      }
      expect((await ask('"other"')).status).to.equal(200);
      const head = await service.call("HEAD", `/files/${body.id}`, { key: owner.key, host: tenant.host });
      expect([head.status, head.text, head.headers["content-length"]]).to.deep.equal([200, "", "1"]);
    });

    it("leaves no file open when the caller hangs up", async () => {
      const { body } = await attach(owner, company, Buffer.alloc(200_000, randomUUID()));
      const opened = () =>
        readdirSync("/proc/self/fd").filter((fd) => {
          try {
            return readlinkSync(`/proc/self/fd/${fd}`).includes(runtime().config.dataDir);
          } catch {
            return false;
          }
        }).length;
      for (let hangUp = 0; hangUp < 20; hangUp++)
        await new Promise<void>((resolve) => {
          const socket = connect(service.port, "127.0.0.1", () => {
            socket.write(`GET /api/v1/files/${body.id} HTTP/1.1\r\nHost: ${tenant.host}\r\nX-API-Key: ${owner.key}\r\n\r\n`);
          });
          socket.once("data", () => socket.destroy());
          socket.once("close", () => resolve());
        });
      await until(() => opened() === 0);
    });

    const kinds: [string, string, string | Buffer, string][] = [
      ["PNG", "image/png", png(), "inline"],
      ["PDF", "application/pdf", "%PDF-1.7\n", "inline"],
      ["SVG with a script", "image/svg+xml", SVG, "attachment"],
      ["plain text", "text/plain", "<script>alert(1)</script>", "attachment"],
      ["CSV", "text/csv", "a;b", "attachment"],
      ["Excel", EXCEL, officeFile.excel(), "attachment"],
    ];
    for (const [what, type, content, disposition] of kinds)
      it(`sends ${what} ${disposition}`, async () => {
        const { body } = await attach(owner, company, content, type, "name");
        const { headers } = await owner.get(`/files/${body.id}`);
        expect(headers["content-disposition"]).to.equal(`${disposition}; filename="name"`);
        expect([headers["content-type"], headers["x-content-type-options"]]).to.deep.equal([type, "nosniff"]);
      });

    it("is 404 errors.file_bytes_missing when the bytes are gone, and the connection stays open", async () => {
      const { body } = await attach(owner, company, randomUUID());
      rmSync(path.join(runtime().config.dataDir, "files", tenant.organisation.id), { recursive: true });
      const { status, body: answer } = await owner.get(`/files/${body.id}`);
      expect([status, answer.error]).to.deep.equal([404, { code: "not_found", message: "errors.file_bytes_missing" }]);
    });

    it("has its bytes again once the same file is sent again", async () => {
      const content = randomUUID();
      const { body } = await attach(owner, company, content);
      rmSync(path.join(runtime().config.dataDir, "files", tenant.organisation.id), { recursive: true });
      expect((await attach(owner, company, content)).status).to.equal(201);
      expect((await owner.get(`/files/${body.id}`)).text).to.equal(content);
    });

    it("is 404 errors.storage_backend_unavailable when the bytes lie in a store that is not configured", async () => {
      const { body } = await attach(owner, company, randomUUID());
      await service.sql.query("update file_contents set backend = 's3' where id = (select content_id from files where id = $1)", [
        body.id,
      ]);
      const { status, body: answer } = await owner.get(`/files/${body.id}`);
      expect([status, answer.error]).to.deep.equal([404, { code: "not_found", message: "errors.storage_backend_unavailable" }]);
    });

    it("is 404 once the record is gone, and the row is gone with it", async () => {
      const { id } = await tenant.company();
      const { body } = await attach(owner, `entity_type=company&entity_id=${id}`);
      expect((await owner.delete(`/companies/${id}`)).status).to.equal(204);
      expect((await owner.get(`/files/${body.id}`)).status).to.equal(404);
      expect((await service.sql.query("select 1 from files where id = $1", [body.id])).rowCount).to.equal(0);
    });
  });

  describe("DELETE /files/{file_id}", () => {
    it("removes the file and leaves a twin with equal bytes readable", async () => {
      const content = randomUUID();
      const before = storedFiles().length;
      const one = (await attach(owner, company, content)).body.id;
      const two = (await attach(owner, company, content, "text/plain", "twin.txt")).body.id;
      await storeHolds(before + 1);
      expect((await owner.delete(`/files/${one}`)).status).to.equal(204);
      expect((await owner.get(`/files/${one}`)).status).to.equal(404);
      expect((await owner.get(`/files/${two}`)).text).to.equal(content);
      expect((await owner.delete(`/files/${two}`)).status).to.equal(204);
      expect((await owner.delete(`/files/${two}`)).status).to.equal(404);
    });

    it("never shares bytes between organisations", async () => {
      const content = randomUUID();
      const other = await service.tenant();
      const before = storedFiles().length;
      await attach(owner, company, content);
      await attach(other.owner, `entity_type=company&entity_id=${(await other.company()).id}`, content);
      await storeHolds(before + 2);
    });

    it("obeys If-Match with the file's tag", async () => {
      const { body } = await attach(owner, company);
      const remove = (tag: string) => owner.delete(`/files/${body.id}`, { headers: { "If-Match": tag } });
      expect((await remove('"1"')).status).to.equal(412);
      expect((await remove(`"${body.id}"`)).status).to.equal(204);
    });

    it("needs files.file.write", async () => {
      const { body } = await attach(owner, company);
      const reader = await tenant.member("member", { grants: ["companies.company.read"] });
      expect((await reader.get(`/files/${body.id}`)).status).to.equal(200);
      expect((await reader.delete(`/files/${body.id}`)).status).to.equal(403);
    });
  });
});
