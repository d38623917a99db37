import { createHash } from "node:crypto";
import { globSync } from "node:fs";
import { connect } from "node:net";
import { expect } from "chai";
import { runtime } from "../../../core/config/runtime.ts";
import { uploadsActor } from "../../support/fixture/fixture-uploads.ts";
import { until } from "../../support/jobs.ts";
import { fileBody, type Multipart, multipart } from "../../support/multipart.ts";
import { type Caller, startService, type Tenant, type TestService } from "../../support/service.ts";

const LIMIT = 100_000;
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
);
const VALIDATION = { code: "validation", message: "errors.validation" };
const TOO_LARGE = { code: "validation", message: "errors.upload_too_large", fields: { file: "errors.upload_too_large" } };

describe("uploads", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await startService({ SERVICE_UPLOAD_LIMIT: String(LIMIT) }, [uploadsActor]);
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const post = (sent: Partial<Multipart>, path = "/fixture/uploads", headers: Record<string, string> = {}, who?: Caller) =>
    (who ?? tenant.owner).post(path, sent.body, { headers: { ...sent.headers, ...headers } });
  /** Files in the store and on the way there. */
  const stored = () =>
    globSync("files/**/*", { cwd: runtime().config.dataDir, withFileTypes: true }).filter((one) => one.isFile());

  const nothingStored = async () => {
    await until(() => stored().length === 0);
  };

  it("reach the action measured, typed by their bytes and named without path", async () => {
    const { status, body } = await post(
      multipart([
        { name: "title", content: "A dot" },
        { name: "file", content: PNG, fileName: "C:\\pictures\\dot.png", type: "image/jpeg" },
        { name: "unknown", content: "ignored" },
      ]),
    );
    expect(status).to.equal(201);
    const sha256 = createHash("sha256").update(PNG).digest("hex");
    const head = PNG.subarray(0, 20).toString("latin1");
    expect(body).to.deep.equal({ name: "dot.png", type: "image/png", size: PNG.length, sha256, title: "A dot", head });
  });

  it("leave nothing behind that the action does not keep", async () => {
    await post(fileBody("kept by nobody"));
    await post(fileBody("refused"), "/fixture/uploads?note=far-too-long");
    await post(fileBody("x".repeat(LIMIT + 1)));
    expect(stored()).to.deep.equal([]);
  });

  describe("are refused", () => {
    const refusals: [string, () => Partial<Multipart>, number, object][] = [
      [
        "without the file",
        () => multipart([{ name: "title", content: "x" }]),
        422,
        { ...VALIDATION, fields: { file: "errors.required" } },
      ],
      [
        "with a text in the file's place",
        () => multipart([{ name: "file", content: "x" }]),
        422,
        { ...VALIDATION, fields: { file: "errors.required" } },
      ],
      ["without any body", () => ({}), 422, { ...VALIDATION, fields: { file: "errors.required" } }],
      [
        "with a type that is not allowed",
        () => fileBody("<b>x</b>", "text/html"),
        422,
        { ...VALIDATION, message: "errors.upload_type", fields: { file: "errors.upload_type" } },
      ],
      [
        "with bytes that are not what they are said to be",
        () => fileBody("no picture", "image/png"),
        422,
        { ...VALIDATION, message: "errors.upload_type", fields: { file: "errors.upload_type" } },
      ],
      [
        "with every mistake at once",
        () =>
          multipart([
            { name: "title", content: "t".repeat(21) },
            { name: "count", content: "6" },
            { name: "file", content: "MZ", fileName: "a.exe", type: "application/x-msdownload" },
          ]),
        422,
        { ...VALIDATION, fields: { title: "errors.validation", count: "errors.validation", file: "errors.upload_type" } },
      ],
      ["one byte over the limit", () => fileBody("x".repeat(LIMIT + 1)), 413, TOO_LARGE],
      ["far over the limit", () => fileBody("x".repeat(40 * LIMIT)), 413, TOO_LARGE],
      [
        "as JSON",
        () => ({ body: Buffer.from('{"file": "x"}'), headers: { "Content-Type": "application/json" } }),
        415,
        { code: "unsupported_media_type", message: "errors.content_type", fields: { _: "errors.content_type" } },
      ],
      [
        "without a boundary",
        () => ({ ...fileBody("x"), headers: { "Content-Type": "multipart/form-data" } }),
        422,
        { ...VALIDATION, fields: { _: "errors.validation" } },
      ],
      [
        "with another boundary than they have",
        () => ({ ...fileBody("x"), headers: { "Content-Type": "multipart/form-data; boundary=other" } }),
        422,
        { ...VALIDATION, fields: { _: "errors.validation" } },
      ],
      [
        "cut off in the middle",
        () => cut(fileBody("x".repeat(5000)), 3000),
        422,
        { ...VALIDATION, fields: { _: "errors.validation" } },
      ],
      ["cut off before the first part", () => cut(fileBody("x"), 10), 422, { ...VALIDATION, fields: { _: "errors.validation" } }],
      [
        "with a thousand form fields",
        () =>
          multipart([
            ...Array.from({ length: 1000 }, (_, at) => ({ name: `f${at}`, content: "x" })),
            { name: "file", content: "x", fileName: "a", type: "text/plain" },
          ]),
        422,
        { ...VALIDATION, fields: { _: "errors.validation" } },
      ],
      [
        "with a form field as large as a file",
        () =>
          multipart([
            { name: "title", content: "x".repeat(70_000) },
            { name: "file", content: "x", fileName: "a", type: "text/plain" },
          ]),
        422,
        { ...VALIDATION, fields: { _: "errors.validation" } },
      ],
    ];
    const cut = ({ body, headers }: Multipart, length: number): Multipart => ({
      body: body.subarray(0, length),
      headers: { ...headers, "Content-Length": String(length) },
    });
    for (const [what, sent, status, error] of refusals)
      it(`${what}: ${status}`, async () => {
        const answer = await post(sent());
        expect(answer.status, answer.text).to.equal(status);
        expect(answer.body.error).to.deep.equal(error);
        expect(stored()).to.deep.equal([]);
      });

    it("and a file of exactly the limit is accepted", async () => {
      expect((await post(fileBody("x".repeat(LIMIT)))).body.size).to.equal(LIMIT);
    });

    it("from who may not send them before a byte is read", async () => {
      const endless = { "Content-Length": "999999999", "Content-Type": "multipart/form-data; boundary=x", Host: tenant.host };
      const refused = (headers: Record<string, string>): Promise<string> =>
        new Promise((resolve, reject) => {
          const socket = connect(service.port, "127.0.0.1", () => {
            const lines = Object.entries({ ...endless, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
            socket.write(`POST /api/v1/fixture/uploads HTTP/1.1\r\n${lines.join("")}\r\n--x\r\n`);
          });
          socket.once("data", (data) => {
            resolve(data.toString().split("\r\n")[0] as string);
            socket.destroy();
          });
          socket.once("error", reject);
        });
      expect(await refused({})).to.equal("HTTP/1.1 401 Unauthorized");
      const member = await tenant.member("member");
      expect(await refused({ "X-API-Key": member.key })).to.equal("HTTP/1.1 403 Forbidden");
    });

    it("after its row where the chapter says so", async () => {
      const late = (known: string) => post(fileBody("text"), `/fixture/uploads/late?known=${known}`);
      expect((await late("no")).status).to.equal(404);
      expect((await late("yes")).body.error.fields).to.deep.equal({ file: "errors.upload_type" });
      const large = await post(fileBody("x".repeat(LIMIT + 1)), "/fixture/uploads/late?known=no");
      expect(large.status).to.equal(404);
    });
  });

  it("that break off with the connection leave nothing behind", async () => {
    await new Promise<void>((resolve) => {
      const { body, headers } = fileBody("x".repeat(LIMIT));
      const lines = Object.entries({ ...headers, Host: tenant.host, "X-API-Key": tenant.owner.key });
      const socket = connect(service.port, "127.0.0.1", () => {
        socket.write(
          `POST /api/v1/fixture/uploads HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`,
        );
        socket.write(body.subarray(0, LIMIT / 2), () => setTimeout(() => socket.destroy(), 50));
      });
      socket.once("close", () => resolve());
    });
    await nothingStored();
  });

  describe("names", () => {
    const names: [string, string, string][] = [
      ["quotes", 'a\\"b\\".txt', "ab.txt"],
      ["a path", "../../etc/passwd", "passwd"],
      ["300 characters", `${"\u00eb".repeat(300)}`, "\u00eb".repeat(255)],
      ["control characters", "a\u0001b\u0085c\u202edcba.txt", "abcdcba.txt"],
      ["nothing", "", "file"],
    ];
    for (const [what, given, wanted] of names)
      it(`with ${what} are cleaned`, async () => {
        expect((await post(fileBody("x", "text/plain", given))).body.name).to.equal(wanted);
      });

    it("with a line break do not make a header", async () => {
      const { status, body } = await post(fileBody("x", "text/plain", "a\r\nX-Evil: 1\r\n.txt"));
      expect([status, body.name]).to.deep.equal([201, "a"]);
    });
  });

  describe("with an Idempotency-Key", () => {
    it("are distinguished by their bytes, not by their boundary", async () => {
      const key = { "Idempotency-Key": "upload-1" };
      const first = await post(fileBody("same"), undefined, key);
      const again = await post(fileBody("same"), undefined, key);
      expect([first.status, again.status, again.headers["idempotent-replayed"]]).to.deep.equal([201, 201, "true"]);
      expect(again.body).to.deep.equal(first.body);
      const other = await post(fileBody("other"), undefined, key);
      expect(other.body.error.code).to.equal("idempotency_conflict");
      expect(stored()).to.deep.equal([]);
    });
  });

  describe("files as answers", () => {
    it("that were just created are unreferenced attachments", async () => {
      const { status, headers, text } = await tenant.owner.get("/fixture/documents/made");
      expect([status, text]).to.deep.equal([200, "naam;uren\r\nAnna;8\r\n"]);
      expect(headers).to.include({
        "content-type": "text/csv; charset=utf-8",
        "content-disposition": "attachment; filename=\"hours M_rz.csv\"; filename*=UTF-8''hours%20M%C3%A4rz.csv",
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
        "content-length": String(text.length),
      });
    });

    it("of any size are sent from the store and removed", async () => {
      const { status, text, headers } = await tenant.owner.get("/fixture/documents/large?mebibytes=3");
      expect([status, text.length, headers["content-length"]]).to.deep.equal([200, 3_145_728, "3145728"]);
      await nothingStored();
    });

    it("are 403 for who may not read them", async () => {
      const nobody = await tenant.member("member", { grants: [] });
      expect((await nobody.get("/fixture/documents/made")).status).to.equal(403);
    });
  });
});
