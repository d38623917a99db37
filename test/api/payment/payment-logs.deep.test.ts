import { spawn } from "node:child_process";
import path from "node:path";
import { expect } from "chai";

const ROOT = path.join(import.meta.dirname, "../../..");

/** The child's work: a service that logs to its standard output, and every way a secret of payments could get there. */
const SCRIPT = `
  import { newKey, startPayments } from "${ROOT}/test/api/payment/payment-world.ts";
  const world = await startPayments({ SERVICE_LOG_LEVEL: "trace" });
  const { service, provider } = world;
  const tenant = await service.tenant("payer");
  const key = newKey();
  const account = await world.account(tenant, { api_key: key });
  const invoiceId = await world.invoice(tenant);
  const { public_token: token } = await world.storedInvoice(invoiceId);
  const attempt = await world.attempt(tenant.owner, invoiceId);
  const at = "/invoicing/invoices/" + invoiceId + "/payment-intents";
  provider.revoked.add(key);
  await tenant.owner.post("/invoicing/payment-accounts/" + account.id + "/verify");
  await tenant.owner.post(at + "/" + attempt.id + "/sync");
  await service.sql.query("update invoices set paid_total = 1 where id = $1", [invoiceId]);
  const refused = await tenant.owner.post(at, {});
  provider.revoked.clear();
  provider.fail({ kind: "drop" });
  const dropped = await tenant.owner.post(at, {});
  await service.call("POST", "/invoicing/public/invoices/" + token + "/payment-intents", { host: tenant.host });
  await service.call("POST", "/invoicing/public/invoices/" + token + "/refresh", { host: tenant.host });
  provider.pay(attempt.external_id);
  await service.sql.query("alter table invoice_payments rename to payments_away");
  const failed = await provider.callback(attempt.external_id, service.port);
  await service.call("POST", "/invoicing/public/invoices/" + token + "/refresh", { host: tenant.host });
  await service.sql.query("alter table payments_away rename to invoice_payments");
  const booked = await provider.callback(attempt.external_id, service.port);
  const rows = await service.sql.query("select row_to_json(i)::text as row from payment_intents i union all select row_to_json(a)::text from activity a");
  await world.stop();
  process.send({ key, secret: account.webhook_url.split(".").at(-1), token, statuses: [refused.status, dropped.status, ...failed, ...booked],
    reported: refused.text + dropped.text, rows: rows.rows.map(({ row }) => row).join() });
`;

interface Reported {
  key: string;
  secret: string;
  token: string;
  statuses: number[];
  reported: string;
  rows: string;
}

describe("the secrets of payments online", function () {
  this.timeout(60_000);
  let log = "";
  let reported: Reported;

  before(async () => {
    const flags = ["--disable-warning=ExperimentalWarning", "--input-type=module-typescript", "--eval", SCRIPT];
    const child = spawn(process.execPath, flags, { cwd: ROOT, stdio: ["ignore", "pipe", "pipe", "ipc"] });
    for (const stream of [child.stdout, child.stderr]) stream?.setEncoding("utf8").on("data", (text: string) => (log += text));
    child.on("message", (message) => (reported = message as Reported));
    const status = await new Promise((resolve) => child.on("close", resolve));
    if (status !== 0) throw new Error(log.slice(-4000));
  });

  it("were in play: calls were refused, broken off, failed unexpectedly and booked", () => {
    expect(reported.statuses).to.deep.equal([409, 502, 503, 200]);
    expect(log).to.include("/invoicing/public/invoices/:token/refresh").and.to.include("payment-callbacks.receive failed");
  });

  for (const name of ["key", "secret"] as const)
    it(`keep the ${name === "key" ? "key" : "secret of the callback address"} out of logs, refusals, attempts and the trail`, () => {
      for (const text of [log, reported.reported, reported.rows]) expect(text.includes(reported[name])).to.equal(false);
    });

  it("keep the token of a public link out of logs", () => expect(log.includes(reported.token)).to.equal(false));
});
