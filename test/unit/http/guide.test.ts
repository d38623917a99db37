import { globSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { expect } from "chai";
import { docsHandler } from "../../../services/api/openapi/docs.ts";

const ROOT = path.join(import.meta.dirname, "../../..");
const HEADINGS = ["Learn", "Do", "Look up", "Understand"];
const DOCUMENT = {
  paths: {
    "/invoices": {
      get: { operationId: "invoicesList", summary: "List invoices", description: "With every payment.", tags: ["money"] },
    },
    "/invoices/{id}/payments": { post: { operationId: "paymentsCreate", summary: "Register a payment", tags: ["money"] } },
  },
};

describe("the guide", () => {
  let server: Server;
  let base: string;
  before(async () => {
    const docs = docsHandler({
      document: () => JSON.stringify(DOCUMENT),
      forms: { codegen: () => "{}", reference: () => "{}" },
      events: async () => "{}",
      title: "Kantoor API",
    });
    server = createServer(async (request, response) => {
      if (!(await docs((request.url ?? "").split("?")[0] as string, request, response))) response.writeHead(404).end();
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => server.close());

  const get = (address: string) => fetch(base + address);
  const hrefs = (html: string) =>
    [...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => (href as string).replaceAll("&amp;", "&"));

  it("has one index of four kinds, from which every document is reached, and no link that leads nowhere", async () => {
    const index = await (await get("/api/guide")).text();
    expect([...index.matchAll(/<h2 id="[^"]*">([^<]*)</g)].map(([, heading]) => heading)).to.deep.equal(HEADINGS);
    const texts = new Map<string, string>();
    const open = ["/api/guide"];
    const broken: string[] = [];
    for (let address = open.pop(); address !== undefined; address = open.pop()) {
      const answered = await get(address);
      const text = await answered.text();
      texts.set(address, text);
      if (answered.status !== 200) broken.push(address);
      for (const href of hrefs(text)) {
        const [target = ""] = href.split("#");
        const isNew =
          target.startsWith("/api/guide") && !target.includes("/assets/") && !texts.has(target) && !open.includes(target);
        if (isNew) open.push(target);
      }
    }
    for (const [address, text] of texts)
      for (const href of hrefs(text)) {
        const [target = "", anchor] = href.split("#");
        if (anchor === undefined || !(target === "" || target.startsWith("/api/guide"))) continue;
        if (!texts.get(target || address)?.includes(`id="${decodeURIComponent(anchor)}"`)) broken.push(`${address}: ${href}`);
      }
    expect(broken).to.deep.equal([]);
    // Every document but the code of conduct and the index itself has an address of its own.
    const documents = globSync("{*.md,docs/**/*.md}", { cwd: ROOT });
    expect(texts.size).to.be.at.least(documents.length - 1);
  });

  it("allows its style sheet and its search form, and no script", async () => {
    const answered = await get("/api/guide/tour");
    const policy = (answered.headers.get("content-security-policy") ?? "").split("; ");
    expect(policy).to.include.members(["default-src 'none'", "style-src 'self'", "form-action 'self'", "frame-ancestors 'none'"]);
    expect(policy.join()).to.not.match(/script-src|unsafe|https?:|\*/);
    expect(await answered.text()).to.not.match(/<script|<style|\sstyle=|\son\w+=/);
    expect((await get("/api/guide/assets/guide.css")).headers.get("content-type")).to.match(/^text\/css/);
  });

  it("finds documents by all words, and shows what was typed as text", async () => {
    const found = await (await get("/api/guide?q=idempotency+key")).text();
    expect(found).to.contain('href="/api/guide/rules/conventions"').and.to.contain("<mark>");
    const none = await (await get(`/api/guide?q=${encodeURIComponent('"><script>alert(1)</script>')}`)).text();
    expect(none).to.contain("No document has all of these words.").and.to.not.contain("<script>");
  });

  it("finds operations of the reference too, those that are named so first", async () => {
    const found = await (await get("/api/guide?q=Payment")).text();
    expect([...found.matchAll(/href="\/api\/redoc#([^"]*)"><code>([^<]*)</g)].map(([, ...parts]) => parts)).to.deep.equal([
      ["tag/money/operation/paymentsCreate", "POST /invoices/{id}/payments"],
      ["tag/money/operation/invoicesList", "GET /invoices"],
    ]);
    expect(await (await get("/api/guide?q=register+payment")).text()).to.not.contain("GET /invoices<");
  });

  it("begins and ends its passages with whole words", async () => {
    const found = await (await get("/api/guide?q=proxy")).text();
    const passages = [...found.matchAll(/<br>…([^<]*)<mark>/g)].map(([, before = ""]) => before);
    expect(passages.length).to.be.above(1);
    expect(passages.filter((before) => !/^\s/.test(before))).to.deep.equal([]);
  });

  it("shows the pictures of the documents", async () => {
    const overview = await (await get("/api/guide/readme")).text();
    const sources = [...overview.matchAll(/<img src="([^"]*)" alt="[^"]+"/g)].map(([, src]) => src as string);
    expect(sources).to.have.length(3);
    for (const source of sources) {
      const answered = await get(source);
      const start = Buffer.from(await answered.arrayBuffer())
        .subarray(1, 4)
        .toString();
      expect([answered.status, answered.headers.get("content-type"), start], source).to.deep.equal([200, "image/png", "PNG"]);
    }
  });

  it("does not know other files", async () => {
    for (const address of ["/api/guide/nothing", "/api/guide/..%2fpackage", "/api/guide/LICENSE", "/api/guide/rules/money.md"])
      expect((await get(address)).status, address).to.equal(404);
  });
});
