import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { connect, nkeys } from "nats";
import { readConfig } from "../../core/config/config.ts";
import { transporterOf } from "../../operator/transporter.ts";
import { certificate, certificateKey } from "../support/certificate.ts";
import { requireNats, startNats } from "../support/nodes/nats.ts";
import type { Spawned } from "../support/process.ts";

/** Connections of a node to a real NATS, by what the settings say. */
describe("the credentials of a node at NATS", function () {
  this.timeout(60_000);
  let folder: string;
  let nats: Spawned | undefined;
  before(function () {
    requireNats(this);
    folder = mkdtempSync(path.join(tmpdir(), "kantoor-credentials-"));
  });
  afterEach(async () => {
    await nats?.stop();
    nats = undefined;
  });
  after(() => {
    if (folder) rmSync(folder, { recursive: true, force: true });
  });

  const file = (name: string, text: string): string => {
    const place = path.join(folder, name);
    writeFileSync(place, text);
    return place;
  };
  /** Starts NATS with a configuration and connects as a node with these settings would; returns the error's code, or "connected". */
  async function outcome(configuration: string, settings: (port: number) => Record<string, string>): Promise<string> {
    nats ??= await startNats(-1, "-c", file("nats.conf", configuration));
    const { options } = transporterOf(readConfig(settings(nats.port as number))) ?? { options: {} };
    try {
      await (await connect({ ...options, reconnect: false })).close();
      return "connected";
    } catch (error) {
      return (error as { code: string }).code;
    }
  }

  it("are the seed of an NKey in a file", async () => {
    const user = nkeys.createUser();
    const stranger = nkeys.createUser();
    const configuration = `authorization { users: [ { nkey: ${user.getPublicKey()} } ] }`;
    const by = (key: typeof user) => (port: number) => ({
      TRANSPORTER: `nats://127.0.0.1:${port}`,
      SERVICE_TRANSPORT_CREDENTIALS_FILE: file("seed", `${new TextDecoder().decode(key.getSeed())}\n`),
    });
    expect(await outcome(configuration, by(user))).to.equal("connected");
    expect(await outcome(configuration, by(stranger))).to.equal("AUTHORIZATION_VIOLATION");
  });

  it("are user and password, in a file or in the address", async () => {
    const configuration = `authorization { users: [ { user: "node-1", password: "a:b@c" } ] }`;
    const inFile = (port: number) => ({
      TRANSPORTER: `nats://127.0.0.1:${port}`,
      SERVICE_TRANSPORT_CREDENTIALS_FILE: file("password", "node-1:a:b@c\n"),
    });
    expect(await outcome(configuration, inFile)).to.equal("connected");
    expect(await outcome(configuration, (port) => ({ TRANSPORTER: `nats://node-1:a%3Ab%40c@127.0.0.1:${port}` }))).to.equal(
      "connected",
    );
    expect(await outcome(configuration, (port) => ({ TRANSPORTER: `nats://127.0.0.1:${port}` }))).to.equal(
      "AUTHORIZATION_VIOLATION",
    );
  });

  it("travel by TLS, to a server with a certificate of the named authority alone", async () => {
    const [cert, key] = [file("cert.pem", certificate), file("key.pem", certificateKey)];
    const configuration = `tls { cert_file: "${cert}", key_file: "${key}" }`;
    const named = (port: number) => ({ TRANSPORTER: `tls://localhost:${port}`, SERVICE_TRANSPORT_CA_FILE: cert });
    expect(await outcome(configuration, named)).to.equal("connected");
    expect(await outcome(configuration, (port) => ({ TRANSPORTER: `tls://localhost:${port}` }))).to.not.equal("connected");
  });
});
