import tls from "node:tls";
import { expect } from "chai";
import { certificate, certificateKey } from "../../support/certificate.ts";
import { endsBefore } from "../../support/effort.ts";
import { Mailbox } from "../../support/mail/mailbox.ts";
import { type Caller, startService, type TestService } from "../../support/service.ts";

const KEYS = { key: certificateKey, cert: certificate };
const known = tls.getCACertificates("default");

describe("the way to a relay", () => {
  const plain = new Mailbox();
  const starttls = new Mailbox({ ...KEYS, disabledCommands: ["AUTH"] });
  const wrapped = new Mailbox({ ...KEYS, secure: true, disabledCommands: ["AUTH"] });
  let service: TestService;
  let owner: Caller;

  before(async () => {
    for (const mailbox of [plain, starttls, wrapped]) await mailbox.start();
    service = await startService({ SERVICE_OUTBOUND_ALLOWED_RANGES: "127.0.0.0/8" });
    ({ owner } = await service.tenant());
  });
  after(async () => {
    tls.setDefaultCACertificates(known);
    await service.stop();
    for (const mailbox of [plain, starttls, wrapped]) await mailbox.stop();
  });
  beforeEach(() => {
    for (const mailbox of [plain, starttls, wrapped]) mailbox.reset();
  });
  const trust = (yes: boolean) => tls.setDefaultCACertificates(yes ? [...known, certificate] : known);

  let counter = 0;
  const send = async (security: string, mailbox: Mailbox, host = "127.0.0.1") => {
    // Another sender each time, so that no open connection is used again.
    const from = `sender${++counter}@noord.test`;
    const settings = { provider: "smtp", host, port: mailbox.port, security, from_address: from };
    expect((await owner.put("/settings/email", settings)).status).to.equal(200);
    return (await owner.post("/settings/email/test", {})).body as { ok: boolean; error: string | null };
  };

  it("starttls encrypts before the first command", async () => {
    trust(true);
    expect(await send("starttls", starttls)).to.deep.equal({ ok: true, error: null });
    expect(starttls.delivered.map(({ secure }) => secure)).to.deep.equal([true]);
  });

  it("starttls sends nothing in the clear when the relay offers no encryption", async () => {
    const { ok, error } = await send("starttls", plain);
    expect(ok).to.equal(false);
    expect(error).to.match(/STARTTLS/);
    expect(plain.delivered).to.have.length(0);
  });

  it("tls encrypts from the first byte", async () => {
    trust(true);
    expect(await send("tls", wrapped)).to.deep.equal({ ok: true, error: null });
    expect(wrapped.delivered.map(({ secure }) => secure)).to.deep.equal([true]);
  });

  it("an untrusted certificate is refused", async () => {
    trust(false);
    for (const [security, mailbox] of [
      ["starttls", starttls],
      ["tls", wrapped],
    ] as const) {
      const { ok, error } = await send(security, mailbox);
      expect(ok).to.equal(false);
      expect(error).to.match(/certificate/i);
      expect(mailbox.delivered).to.have.length(0);
    }
  });

  it("a certificate for another host is refused", async () => {
    trust(true);
    const elsewhere = new Mailbox({ ...KEYS, secure: true, disabledCommands: ["AUTH"] });
    await elsewhere.start("127.0.0.2");
    const { ok, error } = await send("tls", elsewhere, "127.0.0.2");
    await elsewhere.stop();
    expect(ok).to.equal(false);
    expect(error).to.match(/127\.0\.0\.2 is not in the cert's list/);
  });

  it("none stays unencrypted, even if encryption is offered", async () => {
    expect((await send("none", starttls)).ok).to.equal(true);
    expect(starttls.delivered.map(({ secure }) => secure)).to.deep.equal([false]);
  });

  it("a relay that says nothing does not hold the caller for ever", async () => {
    const { createServer } = await import("node:net");
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const { port } = silent.address() as { port: number };
    const { ok, error } = await endsBefore(12_000, send("none", { port } as Mailbox)); // conventions §17
    silent.close();
    expect(ok).to.equal(false);
    expect(error).to.be.a("string");
  });
});
