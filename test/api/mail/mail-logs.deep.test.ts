import { spawn } from "node:child_process";
import path from "node:path";
import { expect } from "chai";

const ROOT = path.join(import.meta.dirname, "../../..");
const SECRETS = { relay: "relay-password-nobody-may-read", api: "xkeysib-key-nobody-may-read" };

/** A service that writes everything it can to its log while mails are made, refused, retried and given up. */
const SCRIPT = `
  import { BrevoSimulator } from "${ROOT}/test/simulators/mail-apis.ts";
  import { Mailbox } from "${ROOT}/test/support/mail/mailbox.ts";
  import { until } from "${ROOT}/test/support/jobs.ts";
  import { proofMail } from "${ROOT}/test/support/mail/proof-mail.ts";
  import { startService } from "${ROOT}/test/support/service.ts";
  const mailbox = new Mailbox({ authOptional: true, onAuth: ({ username, password }, _session, done) =>
    username === "right" ? done(null, { user: username }) : done(new Error("535 no " + password)) });
  const brevo = new BrevoSimulator();
  await mailbox.start();
  await brevo.start();
  brevo.key = ${JSON.stringify(SECRETS.api)};
  const service = await startService({ SERVICE_LOG_LEVEL: "trace", SERVICE_OUTBOUND_ALLOWED_RANGES: "127.0.0.0/8",
    SERVICE_MAIL_BREVO_API_URL: brevo.baseUrl }, [proofMail]);
  const { owner } = await service.tenant();
  const relay = { provider: "smtp", host: "127.0.0.1", port: mailbox.port, security: "none", from_address: "a@noord.test",
    username: "right", secret: ${JSON.stringify(SECRETS.relay)} };
  const answers = [];
  const mails = [{ kind: "reset", to: { address: "eva@noord.test" }, link: "/reset?token={token}" }];
  const send = async (settings, status) => {
    answers.push((await owner.put("/settings/email", settings)).text);
    const { body, text } = await owner.post("/proof/mails", { mails });
    answers.push(text);
    await until(async () => (await service.sql.query("select status from mails where id = $1", [body[0].id])).rows[0].status === status);
    answers.push((await owner.post("/settings/email/test", {})).text, (await owner.get("/settings/email")).text);
  };
  await send(relay, "sent");
  mailbox.fail({ at: "data", code: 554, text: "no: " + ${JSON.stringify(SECRETS.relay)} });
  await send(relay, "failed");
  await send({ ...relay, username: "wrong" }, "failed");
  await send({ provider: "brevo", from_address: "a@noord.test", secret: brevo.key }, "sent");
  brevo.refuse(...[1, 2].map(() => ({ status: 400, body: { code: "no", message: brevo.key } })));
  await send({ provider: "brevo", from_address: "a@noord.test", secret: brevo.key }, "failed");
  const stored = JSON.stringify((await service.sql.query("select * from mails")).rows);
  await service.stop();
  await mailbox.stop();
  await brevo.stop();
  const tokens = [...mailbox.delivered.map(({ mail }) => mail.text), ...brevo.taken.map(({ text }) => text)]
    .flatMap((text) => /token=([\\w-]{43})/.exec(text)?.[1] ?? []);
  process.send({ answers: answers.join("\\n"), stored, tokens });
`;

describe("secrets of mail", () => {
  let log = "";
  let reported: { answers: string; stored: string; tokens: string[] };

  before(async function () {
    this.timeout(180_000);
    const flags = ["--disable-warning=ExperimentalWarning", "--input-type=module-typescript", "--eval", SCRIPT];
    const child = spawn(process.execPath, flags, { cwd: ROOT, stdio: ["ignore", "pipe", "pipe", "ipc"] });
    for (const stream of [child.stdout, child.stderr]) stream?.setEncoding("utf8").on("data", (text: string) => (log += text));
    child.on("message", (message) => (reported = message as typeof reported));
    const status = await new Promise((resolve) => child.on("close", resolve));
    if (status !== 0) throw new Error(log.slice(-4000));
  });

  it("are in no log line, answer or row: passwords, keys, and the tokens of links", () => {
    expect(reported.tokens).to.have.length(2);
    expect(log, "there is a log").to.contain("POST /api/v1/proof/mails");
    const encoded = Object.values(SECRETS).flatMap((secret) => [
      secret,
      Buffer.from(secret).toString("base64").replace(/=+$/, ""),
    ]);
    for (const secret of [...encoded, ...reported.tokens])
      for (const [place, text] of Object.entries({ log, answers: reported.answers, stored: reported.stored }))
        expect(text.includes(secret), `${secret} in ${place}`).to.equal(false);
  });
});
