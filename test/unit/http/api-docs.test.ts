import { createServer, request as httpRequest, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { docsHandler } from "../../../services/api/openapi/docs.ts";

const READERS = ["/api/docs", "/api/redoc", "/api/reference"];

describe("docsHandler", () => {
  let server: Server;
  let base: string;
  before(async () => {
    const docs = docsHandler({
      document: () => '{"openapi":"3.1.1"}',
      forms: { codegen: () => '{"x-form":"codegen"}', reference: () => '{"x-form":"reference"}' },
      events: async () => "{}",
      title: "Kantoor <API>",
    });
    server = createServer(async (request, response) => {
      if (!(await docs((request.url ?? "").split("?")[0] as string, request, response))) response.writeHead(404).end();
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => server.close());

  const get = (place: string, init?: RequestInit) => fetch(base + place, init);
  /** Status of a request target exactly as given; fetch would tidy it. */
  const rawStatus = (target: string) =>
    new Promise<number>((done, failed) => {
      const sent = httpRequest(`${base}/`, { path: target }, (answered) => done(answered.resume().statusCode as number));
      sent.on("error", failed).end();
    });
  const files = (html: string) =>
    [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, file]) => file as string).filter((file) => file !== "data:,");

  for (const place of READERS)
    it(`serves ${place} with a strict policy, unlisted and uncached`, async () => {
      const answered = await get(place);
      const policy = answered.headers.get("content-security-policy") ?? "";
      const html = await answered.text();
      expect(answered.status).to.equal(200);
      expect(answered.headers.get("content-type")).to.equal("text/html; charset=utf-8");
      expect(answered.headers.get("cache-control")).to.equal("no-store");
      expect(answered.headers.get("x-robots-tag")).to.equal("noindex, nofollow");
      expect(answered.headers.get("x-content-type-options")).to.equal("nosniff");
      expect(answered.headers.get("referrer-policy")).to.equal("no-referrer");
      for (const rule of [
        "default-src 'none'",
        "script-src 'self'",
        "connect-src 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'none'",
      ])
        expect(policy.split("; ")).to.include(rule);
      expect(policy).to.not.match(/unsafe|https?:|\*/);
      expect(html)
        .to.contain("Kantoor &#60;API&#62;")
        .and.to.not.match(/<script(?![^>]*src=)|<style|\son\w+=/);
    });

  it("serves the document, its forms for generators and readers, and no other form", async () => {
    expect(await (await get("/api/openapi.json")).json()).to.deep.equal({ openapi: "3.1.1" });
    for (const form of ["codegen", "reference"])
      expect(await (await get(`/api/openapi.json?for=${form}`)).json()).to.deep.equal({ "x-form": form });
    const refused = await get("/api/openapi.json?for=everything");
    expect(refused.status).to.equal(422);
    expect(await refused.json()).to.have.nested.property("error.fields.for", "errors.validation");
  });

  it("serves every file of its pages from here, with nothing of its own that points elsewhere", async () => {
    for (const place of READERS) {
      const html = await (await get(place)).text();
      expect(html).to.not.match(/https?:|"\/\//);
      expect(files(html)).to.have.length.above(2);
      for (const file of files(html)) {
        expect(file).to.match(new RegExp(`^${place}/assets/[a-z.-]+$`));
        const answered = await get(file);
        expect(answered.status, file).to.equal(200);
        expect(answered.headers.get("content-type"), file).to.match(file.endsWith(".js") ? /^text\/javascript/ : /^text\/css/);
        expect(answered.headers.get("x-content-type-options")).to.equal("nosniff");
        const own = /start\.js|prepare\.js|page\.css/.test(file);
        if (own) expect(await answered.text()).to.not.match(/https?:|"\/\//);
        else expect(await answered.text()).to.not.match(/fonts\.googleapis\.com/);
      }
    }
  });

  it("gives each response of a reader with style elements a nonce of its own", async () => {
    const nonces = await Promise.all(
      [1, 2].map(async () => {
        const answered = await get("/api/reference");
        const [, nonce] = /style-src 'self' 'nonce-([^']+)'/.exec(answered.headers.get("content-security-policy") ?? "") ?? [];
        expect(await answered.text()).to.contain(`<meta property="csp-nonce" content="${nonce}">`);
        return nonce;
      }),
    );
    expect(nonces[0]).to.match(/^[\w+/]{22}==$/);
    expect(nonces[0]).to.not.equal(nonces[1]);
    expect((await get("/api/docs")).headers.get("content-security-policy")).to.not.contain("nonce");
  });

  it("keeps Scalar from every service of its vendor", async () => {
    const start = await (await get("/api/reference/assets/start.js")).text();
    for (const setting of ["agent: { disabled: true }", "mcp: { disabled: true }", "telemetry: false", "withDefaultFonts: false"])
      expect(start).to.contain(setting);
    expect(start).to.not.match(/proxy|https?:/i);
    expect(await (await get("/api/reference/assets/scalar.js")).text()).to.contain("createApiReference");
  });

  it("shows all operations on one page at the alternative address, where operation ids are their places", async () => {
    const [classic, modern] = await Promise.all(
      ["redoc", "reference"].map(async (name) => (await get(`/api/${name}/assets/start.js`)).text()),
    );
    const parts = ['layout: "classic"', '"operation/" + operationId'];
    for (const part of parts) expect([classic?.includes(part), modern?.includes(part)], part).to.deep.equal([true, false]);
  });

  it("lets an unchanged file be kept", async () => {
    const first = await get("/api/redoc/assets/start.js");
    const again = await get("/api/redoc/assets/start.js", { headers: { "If-None-Match": first.headers.get("etag") ?? "" } });
    expect(again.status).to.equal(304);
    expect(await again.text()).to.equal("");
    expect((await get("/api/redoc/assets/start.js", { headers: { "If-None-Match": '"other"' } })).status).to.equal(200);
  });

  it("serves the document as it is", async () => {
    const answered = await get("/api/openapi.json");
    expect(await answered.text()).to.equal('{"openapi":"3.1.1"}');
    expect(answered.headers.get("content-type")).to.match(/^application\/json/);
    expect(answered.headers.get("cache-control")).to.equal("no-store");
    expect(answered.headers.get("x-robots-tag")).to.equal("noindex, nofollow");
  });

  it("knows a trailing slash, HEAD, and no method that changes things", async () => {
    expect((await get("/api/docs/")).status).to.equal(200);
    const head = await get("/api/openapi.json", { method: "HEAD" });
    expect(head.status).to.equal(200);
    expect(head.headers.get("content-length")).to.equal("19");
    const posted = await get("/api/docs", { method: "POST" });
    expect(posted.status).to.equal(405);
    expect(posted.headers.get("allow")).to.equal("GET, HEAD");
    expect(await posted.json()).to.deep.equal({ error: { code: "method_not_allowed", message: "errors.server" } });
  });

  it("leaves every other path alone", async () => {
    const targets = [
      "/docs",
      "/redoc",
      "/openapi.json",
      "/api/docs/assets/",
      "/api/docs/assets/swagger-ui.js",
      "/api/docs/assets/../../../package.json",
      "/api/docs/assets/%2e%2e/%2e%2e/package.json",
      "/api/docs/assets/..%2fpackage.json",
      "/api/redoc/assets/scalar.js/../../package.json",
      "/api/redoc/assets/scalar.js%00.css",
      "/__proto__",
    ];
    for (const target of targets) expect(await rawStatus(target), target).to.equal(404);
  });
});
