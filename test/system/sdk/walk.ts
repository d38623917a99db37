// Runs against a service with the installed package; compiled after the README's example, whose names it imports.
import assert from "node:assert/strict";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { Kantoor, NotFoundError, UnauthorizedError, ValidationError, WebhookError } from "@kantoor/sdk";
import { company, copy, follow, kantoor, paid, pdf, receive } from "./readme.js";

const ROWS = Number(process.env["SDK_ROWS"]);

// The README's road.
assert.equal(paid.status, "paid");
assert.equal(await pdf.slice(0, 5).text(), "%PDF-");
assert.equal(copy.get(company.id)?.city, "Utrecht");
console.log("README");

// A file comes back as it was sent, as a stream, with the name it was sent under.
const [stored] = await kantoor.files.list({ entity_type: "company", entity_id: company.id });
assert.ok(stored);
const file = await kantoor.files.get(stored.id);
assert.equal(file.filename, "invoice.pdf");
let bytes = 0;
for await (const chunk of file.stream) bytes += chunk.length;
assert.equal(bytes, pdf.size);
console.log("file");

// Refusals have classes, codes and fields.
await assert.rejects(
  async () => kantoor.companies.create({ name: "" }),
  (error) =>
    error instanceof ValidationError && error.code === "validation" && "name" in error.fields && error.requestId !== undefined,
);
await assert.rejects(async () => kantoor.companies.get(crypto.randomUUID()), NotFoundError);
const baseUrl = process.env["KANTOOR_URL"] as string;
await assert.rejects(async () => new Kantoor({ baseUrl, apiKey: "kt_wrong" }).companies.list(), UnauthorizedError);
console.log("refusals");

// A write under one key is done once, and says so.
const idempotencyKey = crypto.randomUUID();
const once = await kantoor.companies.create({ name: "Touwslagerij Kabel" }, { idempotencyKey }).withResponse();
const twice = await kantoor.companies.create({ name: "Touwslagerij Kabel" }, { idempotencyKey }).withResponse();
assert.deepEqual([once.replayed, twice.replayed, twice.data.id], [false, true, once.data.id]);
console.log("once");

// Many rows come in by one file, and a copy follows them.
const csv = ["name,city", ...Array.from({ length: ROWS }, (_, index) => `Walvisboot ${index},Kollum`)].join("\n");
const sheet = { name: "companies.csv", data: new Blob([csv]).stream(), type: "text/csv" };
const started = await kantoor.impex.company.import({ file: sheet }, { dry_run: false });
// More than 2,000 rows are a job's work.
if ("job_id" in started)
  for (let status = "queued"; status !== "done"; { status } = await kantoor.impex.jobs.get(started.job_id)) {
    assert.notEqual(status, "failed");
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
await follow();
assert.equal([...copy.values()].filter(({ city }) => city === "Kollum").length, ROWS);
const walked = await kantoor.companies.list({ q: "walvisboot" }).toArray();
assert.equal(new Set(walked.map(({ id }) => id)).size, ROWS);
const [first, second] = walked;
assert.ok(first && second);
await kantoor.companies.remove(first.id);
await kantoor.companies.update(second.id, { city: "Gouda" });
await follow();
assert.equal(copy.has(first.id), false);
assert.equal(copy.get(second.id)?.city, "Gouda");
console.log(`${ROWS} rows followed`);

// A webhook arrives, is verified, and is refused when it was changed on the way.
const received = await new Promise<number>((resolve, reject) => {
  const server = http.createServer(async (incoming, answer) => {
    const body = Buffer.concat(await incoming.toArray()).toString();
    const request = (text: string) =>
      new Request("http://receiver", { method: "POST", body: text, headers: incoming.headers as Record<string, string> });
    const { status } = await receive(request(body), secret);
    const forged = await receive(request(body.replace("company", "compane")), secret).catch((error: unknown) => error);
    answer.writeHead(status).end();
    server.close();
    if (forged instanceof WebhookError) resolve(status);
    else reject(new Error("A changed message was accepted."));
  });
  let secret = "";
  server.listen(0, "127.0.0.1", async () => {
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/`;
    const endpoint = await kantoor.webhooks.endpoints.create({ name: "Receiver", url, events: ["company.created"] });
    secret = endpoint.secret;
    await kantoor.companies.create({ name: "Zeilmakerij Storm" });
  });
});
assert.equal(received, 204);
console.log("webhook");
