import { expect } from "chai";
import type { Answer } from "../../../sdk/typescript/src/answer.ts";
import { Client, methodsOf } from "../../../sdk/typescript/src/client.ts";
import * as errors from "../../../sdk/typescript/src/errors.ts";
import type { Download } from "../../../sdk/typescript/src/files.ts";
import type { Listing, Page } from "../../../sdk/typescript/src/listing.ts";
import type { AllOptions, KantoorOptions } from "../../../sdk/typescript/src/options.ts";
import { type Scripted, StrictServer } from "./strict-server.ts";

type Row = { id: string };
interface Api {
  rows: {
    list(query?: object, options?: AllOptions): Listing<Row, Page<Row>>;
    get(id: string, options?: AllOptions): Answer<Row>;
    create(body: object, options?: AllOptions): Answer<Row>;
    update(id: string, body: object, options?: AllOptions): Answer<Row>;
    remove(id: string, options?: AllOptions): Answer<void>;
    upload(id: string, body: object, query: object): Answer<Row>;
    file(id: string): Answer<Download>;
    signIn(body: object): Answer<undefined>;
  };
  kinds: { list(query?: object): Listing<Row, Row[]> };
}
const TABLE = {
  "rows.list": "GET /rows query answers:page limit count",
  "rows.get": "GET /rows/{row_id}",
  "rows.create": "POST /rows sends:json key",
  "rows.update": "PATCH /rows/{row_id} sends:json key",
  "rows.remove": "DELETE /rows/{row_id} answers:none key",
  "rows.upload": "POST /rows/{row_id}/file sends:multipart query key",
  "rows.file": "GET /rows/{row_id}/file answers:file",
  "rows.signIn": "POST /sign-in sends:form",
  "kinds.list": "GET /kinds query answers:list",
};

const SOON = { "retry-after": "0" };
const refusal = (code: string, more: object = {}) => ({ error: { code, message: `errors.${code}`, ...more } });
const caught = async (call: PromiseLike<unknown>): Promise<unknown> => {
  try {
    await call;
  } catch (error) {
    return error;
  }
  throw new Error("The call was not refused.");
};

describe("the TypeScript client", () => {
  let server: StrictServer;
  const client = async (script: Scripted[], options: Partial<KantoorOptions> = {}): Promise<Api> => {
    server = new StrictServer(script);
    const made = new Client({ baseUrl: await server.start(), apiKey: "kt_1", ...options });
    return methodsOf(made, TABLE) as unknown as Api;
  };
  afterEach(async () => {
    expect(server.left).to.equal(0);
    await server.stop();
  });
  const urls = () => server.received.map(({ url }) => url);

  describe("sends", () => {
    it("the key, the path with its parameters, and the query with lists, dates and without what is absent", async () => {
      const { rows } = await client([
        { status: 200, body: { id: "1" } },
        { status: 200, body: { items: [], next_cursor: null } },
      ]);
      expect(await rows.get("a/b")).to.deep.equal({ id: "1" });
      await rows.list({ status: ["lead", "active"], since: new Date(0), mine: false, q: undefined });
      expect(urls()).to.deep.equal([
        "/api/v1/rows/a%2Fb",
        "/api/v1/rows?status=lead%2Cactive&since=1970-01-01T00%3A00%3A00.000Z&mine=false",
      ]);
      expect(server.received[0]?.headers["x-api-key"]).to.equal("kt_1");
    });

    it("the current access token of each call", async () => {
      let count = 0;
      const { rows } = await client(
        [
          { status: 200, body: {} },
          { status: 200, body: {} },
        ],
        {
          apiKey: undefined as never,
          accessToken: () => `token-${++count}`,
        },
      );
      await rows.get("1");
      await rows.get("1");
      expect(server.received.map(({ headers }) => headers.authorization)).to.deep.equal(["Bearer token-1", "Bearer token-2"]);
    });

    it("no row for an empty id, which would name the list", async () => {
      const { rows } = await client([]);
      expect(await caught(rows.remove(""))).to.be.instanceOf(errors.KantoorError);
    });

    it("files as parts with their names, from blobs, texts and streams, and members as texts", async () => {
      const { rows } = await client([{ status: 200, body: {} }]);
      const stream = new Blob(["streamed"]).stream();
      const file = { name: "a.csv", data: stream, type: "text/csv" };
      await rows.upload("1", { file, more: new File(["own"], "b.txt"), note: "hi", none: undefined }, { inline: true });
      const [{ body = "", url = "", headers = {} } = {}] = server.received;
      expect(url).to.equal("/api/v1/rows/1/file?inline=true");
      expect(headers["content-type"]).to.match(/^multipart\/form-data; boundary=/);
      for (const part of [
        'filename="a.csv"',
        "Content-Type: text/csv",
        "streamed",
        'filename="b.txt"',
        "own",
        'name="note"',
        "hi",
      ])
        expect(body).to.include(part);
      expect(body).not.to.include('name="none"');
    });

    it("forms URL-encoded, and takes an answer without a body", async () => {
      const { rows } = await client([{ status: 204 }]);
      expect(await rows.signIn({ username: "a@b.example", password: "x&y" })).to.equal(undefined);
      expect(server.received[0]?.body).to.equal("username=a%40b.example&password=x%26y");
    });

    it("the entity tag that a row was read with, and refuses a row without one", async () => {
      const { rows } = await client([
        { status: 200, body: { id: "1" }, headers: { etag: '"7"' } },
        { status: 200, body: { id: "1" } },
        { status: 200, body: { id: "1" } },
      ]);
      const row = await rows.get("1");
      await rows.update("1", { a: 1 }, { ifMatch: row });
      await rows.update("1", { a: 1 }, { ifMatch: '"9"' });
      expect(server.received.slice(1).map(({ headers }) => headers["if-match"])).to.deep.equal(['"7"', '"9"']);
      expect(await caught(rows.update("1", {}, { ifMatch: { id: "1" } }))).to.be.instanceOf(errors.KantoorError);
    });
  });

  describe("repeats", () => {
    it("a write under the same key after a lost connection, 429, 502, 503 and 504", async () => {
      const { rows } = await client(
        [
          "cut",
          ...[429, 502, 503, 504].map((status) => ({ status, headers: SOON, body: refusal("away") })),
          { status: 201, body: { id: "1" }, headers: { "idempotent-replayed": "true" } },
        ],
        { maxRetries: 5 },
      );
      const { data, replayed, requestId } = await rows.create({ name: "a" }).withResponse();
      expect([data.id, replayed, requestId]).to.deep.equal(["1", true, "r-1"]);
      const keys = server.received.map(({ headers }) => headers["idempotency-key"]);
      expect(keys).to.have.length(6);
      expect(new Set(keys).size).to.equal(1);
      expect(keys[0]).to.match(/^[0-9a-f-]{36}$/);
    });

    it("a twin that still runs, and sends the caller's own key", async () => {
      const { rows } = await client([
        { status: 409, headers: SOON, body: refusal("idempotency_in_progress") },
        { status: 201, body: { id: "1" } },
      ]);
      await rows.create({}, { idempotencyKey: "mine" });
      expect(server.received.map(({ headers }) => headers["idempotency-key"])).to.deep.equal(["mine", "mine"]);
    });

    it("no write without a key, but after 429", async () => {
      const { rows } = await client([
        { status: 429, headers: SOON },
        { status: 503, headers: SOON, body: refusal("away") },
      ]);
      expect(await caught(rows.signIn({}))).to.be.instanceOf(errors.ServiceError);
    });

    it("nothing that would wait longer than `longestWait`, and nothing more than `maxRetries` times", async () => {
      const { rows } = await client([
        { status: 429, headers: { "retry-after": "3600" }, body: refusal("rate_limited") },
        { status: 503, headers: SOON },
        { status: 503, headers: SOON },
      ]);
      expect(await caught(rows.get("1"))).to.be.instanceOf(errors.RateLimitError);
      expect(await caught(rows.get("1", { maxRetries: 1 }))).to.be.instanceOf(errors.ServiceError);
    });

    it("not what was refused for good, nor what the caller aborted", async () => {
      const { rows } = await client([
        { status: 422, body: refusal("validation", { fields: { name: "errors.required" } }) },
        "silent",
      ]);
      const error = (await caught(rows.create({}))) as errors.ValidationError;
      expect(error).to.be.instanceOf(errors.ValidationError);
      expect([error.status, error.code, error.message, error.fields, error.requestId]).to.deep.equal([
        422,
        "validation",
        "errors.validation",
        { name: "errors.required" },
        "r-1",
      ]);
      const abort = new AbortController();
      const call = caught(rows.get("1", { signal: abort.signal }));
      while (server.received.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
      abort.abort(new Error("enough"));
      expect(((await call) as Error).message).to.equal("enough");
    });

    it("a call that is not answered in time, then says so", async () => {
      const { rows } = await client(["silent"]);
      expect(await caught(rows.get("1", { timeout: 50, maxRetries: 0 }))).to.be.instanceOf(errors.TimeoutError);
    });
  });

  it("makes a class of each refusal, and of what a proxy answers", async () => {
    const kinds: [number, string, typeof errors.ApiError][] = [
      [401, "unauthorized", errors.UnauthorizedError],
      [402, "licence", errors.LicenceError],
      [403, "forbidden", errors.ForbiddenError],
      [404, "not_found", errors.NotFoundError],
      [409, "conflict", errors.ConflictError],
      [410, "sync_too_old", errors.SyncTooOldError],
      [412, "changed", errors.ChangedError],
      [429, "rate_limited", errors.RateLimitError],
      [500, "internal", errors.ServiceError],
      [400, "bad", errors.ApiError],
    ];
    const { rows } = await client([
      ...kinds.map(([status, code]) => ({ status, body: refusal(code) })),
      { status: 502, headers: { "content-type": "text/html" }, body: "<h1>Bad gateway</h1>" },
    ]);
    for (const [, code, Kind] of kinds) {
      const error = (await caught(rows.get("1", { maxRetries: 0 }))) as errors.ApiError;
      expect([error.constructor, error.code]).to.deep.equal([Kind, code]);
    }
    expect(((await caught(rows.get("1", { maxRetries: 0 }))) as errors.ApiError).code).to.equal("http_502");
  });

  it("gives files as streams with their name, type and size", async () => {
    const headers = {
      "content-type": "application/pdf",
      "content-disposition": "attachment; filename=\"a.pdf\"; filename*=UTF-8''%C3%A9.pdf",
    };
    const { rows } = await client([{ status: 200, headers: { ...headers, "content-length": "5" }, body: "%PDF-" }]);
    const file = await rows.file("1");
    expect([file.contentType, file.filename, file.size]).to.deep.equal(["application/pdf", "é.pdf", 5]);
    expect(await file.text()).to.equal("%PDF-");
  });

  it("starts a call once, however often its result is read, and not before", async () => {
    const { rows } = await client([{ status: 200, body: { id: "1" } }]);
    const call = rows.get("1");
    expect(server.received).to.deep.equal([]);
    expect(await call).to.equal(await call);
  });

  it("does not begin without an address of the web", () => {
    for (const baseUrl of ["agency.example", "ftp://agency.example", ""])
      expect(() => new Client({ baseUrl })).to.throw(errors.KantoorError, "baseUrl");
  });
});
