import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { nkeys } from "nats";
import { type Config, ConfigurationError, readConfig } from "../../../core/config/config.ts";
import { hostsOf, transporterOf } from "../../../operator/transporter.ts";

const configOf = (environment: Record<string, string>): Config =>
  readConfig({ SERVICE_TRANSPORT_INSECURE: "true", ...environment });

describe("the transporter of a node", () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), "kantoor-transporter-"));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const fileOf = (text: string): string => {
    const file = path.join(folder, "credentials");
    writeFileSync(file, text);
    return file;
  };
  const withFile = (text: string) =>
    transporterOf(configOf({ TRANSPORTER: "nats://nats.internal", SERVICE_TRANSPORT_CREDENTIALS_FILE: fileOf(text) }))?.options;

  it("is none without an address", () => {
    expect(transporterOf(configOf({}))).to.equal(null);
  });

  it("takes servers and credentials from the address, decoded", () => {
    const config = configOf({ TRANSPORTER: "nats://node%201:p%40ss@a:4222,nats://b:4223" });
    expect(transporterOf(config)).to.deep.equal({
      type: "NATS",
      options: { servers: ["a:4222", "b:4223"], reconnectTimeWait: 250, user: "node 1", pass: "p@ss" },
    });
    expect(hostsOf(config.transporter as URL[])).to.equal("a:4222, b:4223");
  });

  it("uses TLS for tls://, with the authority that a file has", () => {
    expect(transporterOf(configOf({ TRANSPORTER: "tls://a" }))?.options).to.deep.equal({
      servers: ["a"],
      reconnectTimeWait: 250,
      tls: {},
    });
    const ca = fileOf("-----BEGIN CERTIFICATE-----");
    const config = configOf({ TRANSPORTER: "tls://a", SERVICE_TRANSPORT_CA_FILE: ca });
    expect(transporterOf(config)?.options).to.deep.equal({ servers: ["a"], reconnectTimeWait: 250, tls: { caFile: ca } });
  });

  it("takes a password, an NKey or a credentials file of NATS from a file", () => {
    expect(withFile("node-1:secret:with-colon")).to.include({ user: "node-1", pass: "secret:with-colon" });
    const seed = new TextDecoder().decode(nkeys.createUser().getSeed());
    for (const text of [`${seed}\n`, `-----BEGIN NATS USER JWT-----\neyJ0\n------END NATS USER JWT------\n\n${seed}`])
      expect(withFile(text)).to.have.property("authenticator").that.is.a("function");
  });

  it("refuses a file that has none, or that is not there, by the setting's name", () => {
    for (const text of ["", "secret", "user: password", "SUAAAA"])
      expect(() => withFile(text), text).to.throw(ConfigurationError, /^SERVICE_TRANSPORT_CREDENTIALS_FILE must contain /);
    const missing = { TRANSPORTER: "tls://a", SERVICE_TRANSPORT_CA_FILE: path.join(folder, "missing.pem") };
    expect(() => transporterOf(configOf(missing))).to.throw(ConfigurationError, /^SERVICE_TRANSPORT_CA_FILE cannot be read: /);
  });
});

describe("a transporter outside of this machine", () => {
  const read =
    (TRANSPORTER: string, more: Record<string, string> = {}) =>
    () =>
      readConfig({ TRANSPORTER, ...more });

  for (const open of ["nats://10.0.0.20:4222", "nats://nats.internal", "nats://localhost:1,nats://nats.internal:4222"])
    it(`needs credentials or TLS, or a word that it is meant: ${open}`, () => {
      expect(read(open)).to.throw(ConfigurationError, /^TRANSPORTER reaches \S+ with neither credentials nor TLS: /);
      expect(read(open, { SERVICE_TRANSPORT_INSECURE: "true" })).to.not.throw();
      expect(read(open, { SERVICE_TRANSPORT_CREDENTIALS_FILE: "/run/secrets/nats" })).to.not.throw();
    });

  for (const guarded of [
    "nats://u:p@10.0.0.20",
    "tls://nats.internal",
    "nats://127.0.0.1:4222",
    "nats://[::1]:4222",
    "nats://localhost",
  ])
    it(`starts: ${guarded}`, () => {
      expect(read(guarded)).to.not.throw();
    });
});
