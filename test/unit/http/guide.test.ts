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
  let document: object = DOCUMENT;
  before(async () => {
    const docs = docsHandler({
      document: () => JSON.stringify(document),
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

  it("allows its own style sheet, script and search, and nothing inside of its pages", async () => {
    const answered = await get("/api/guide/tour");
    const policy = (answered.headers.get("content-security-policy") ?? "").split("; ");
    const own = ["script-src 'self'", "style-src 'self'", "connect-src 'self'", "form-action 'self'"];
    expect(policy).to.include.members(["default-src 'none'", ...own, "frame-ancestors 'none'"]);
    expect(policy.join()).to.not.match(/unsafe|https?:|\*/);
    const text = await answered.text();
    expect(text.match(/<script[^>]*>[^<]*/g)).to.deep.equal(['<script src="/api/guide/assets/guide.js">']);
    expect(text).to.not.match(/<style|\sstyle=|\son\w+=/);
    for (const [asset, type] of [
      ["guide.css", /^text\/css/],
      ["guide.js", /^text\/javascript/],
      ["search.json", /^application\/json/],
    ] as const)
      expect((await get(`/api/guide/assets/${asset}`)).headers.get("content-type"), asset).to.match(type);
  });

  it("has a sidebar of four groups with the current page, the contents of the page, and the ways to its neighbours", async () => {
    const page = await (await get("/api/guide/rules/money")).text();
    const [, side = ""] = /<nav class="side"[^>]*>([\s\S]*?)<\/nav>/.exec(page) ?? [];
    expect([...side.matchAll(/<summary>([^<]*)/g)].map(([, name]) => name)).to.deep.equal(HEADINGS);
    expect(side.match(/<details open><summary>[^<]*/g)).to.deep.equal(["<details open><summary>Look up"]);
    expect(side).to.contain('<a href="/api/guide/rules/money" aria-current="page">Money</a>');
    const [, contents = ""] = /<nav class="contents"[^>]*>([\s\S]*?)<\/nav>/.exec(page) ?? [];
    expect(hrefs(contents)).to.include("#4-the-life-of-an-invoice");
    expect(page)
      .to.contain('rel="prev" href="/api/guide/rules/work"')
      .and.to.contain('rel="next" href="/api/guide/rules/banking"');
  });

  it("leads by its neighbours from the first page over every document", async () => {
    const walked = new Set<string>();
    let address: string | undefined = "/api/guide";
    while (address !== undefined && !walked.has(address)) {
      walked.add(address);
      [, address] = /rel="next" href="([^"]*)"/.exec(await (await get(address)).text()) ?? [];
    }
    const documents = globSync("{*.md,docs/**/*.md}", { cwd: ROOT });
    expect([address, walked.size]).to.deep.equal([undefined, documents.length]);
  });

  it("gives the search of the browser every page in parts, every error and every operation of the current document", async () => {
    type Search = { pages: [string, string, [string, string, string][]][]; errors: string[][]; operations: string[][] };
    const read = async () => (await (await get("/api/guide/assets/search.json")).json()) as Search;
    const { pages, errors, operations } = await read();
    const copies = pages.find(([address]) => address === "/api/guide/copies");
    expect(copies?.[1]).to.equal("Keep a copy");
    const [, heading, text] = copies?.[2].find(([anchor]) => anchor === "what-to-know") ?? [];
    expect(heading).to.equal("What to know");
    expect(text)
      .to.contain("Rows come in the order of their change.")
      .and.to.not.match(/[<>]|\n/);
    expect(errors.map(([address]) => address)).to.include("/api/docs/errors/edge_no_account");
    expect(operations).to.deep.include(["/api/redoc#tag/money/operation/invoicesList", "GET /invoices", "List invoices"]);
    document = { paths: {} };
    expect((await read()).operations).to.deep.equal([]);
    document = DOCUMENT;
  });

  it("compresses its files, and answers 304 to who has them", async () => {
    const zipped = await get("/api/guide/assets/guide.css");
    expect([zipped.headers.get("content-encoding"), zipped.headers.get("vary")]).to.deep.equal(["gzip", "Accept-Encoding"]);
    const plain = await fetch(`${base}/api/guide/assets/guide.css`, { headers: { "Accept-Encoding": "identity" } });
    expect(plain.headers.get("content-encoding")).to.equal(null);
    expect(await plain.text()).to.equal(await zipped.text());
    expect(plain.headers.get("etag")).to.not.equal(zipped.headers.get("etag"));
    const known = await fetch(`${base}/api/guide/assets/guide.css`, {
      headers: { "If-None-Match": zipped.headers.get("etag") as string },
    });
    expect(known.status).to.equal(304);
  });

  it("finds documents by all words, and shows what was typed as text", async () => {
    const found = await (await get("/api/guide?q=idempotency+key")).text();
    expect(found).to.contain('href="/api/guide/rules/conventions"').and.to.contain("<mark>");
    const none = await (await get(`/api/guide?q=${encodeURIComponent('"><script>alert(1)</script>')}`)).text();
    expect(none).to.contain("No document has all of these words.").and.to.not.contain("<script>alert");
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
