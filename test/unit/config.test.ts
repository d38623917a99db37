import path from "node:path";
import { expect } from "chai";
import { ConfigurationError, isEmbedded, readConfig, settings } from "../../core/config.ts";

const SECRET = "0123456789abcdef0123456789abcdef-made-up";
const WHOLE = ["-1", "1.5", "ten", "1e3", "0x10", "99999999999999"];
const FLAG = ["yes", "on", "TRUE", "2"];

/** Values each setting refuses, and values it takes with what they become. */
const table: Record<string, { wrong: string[]; right: [string, unknown][] }> = {
  SERVICE_HTTP_PORT: {
    wrong: [...WHOLE, "65536"],
    right: [
      ["0", 0],
      ["8080", 8080],
    ],
  },
  SERVICE_HTTP_ADDRESS: {
    wrong: ["everywhere", "1.2.3", "1.2.3.4:80", "http://x"],
    right: [
      ["::1", "::1"],
      ["localhost", "localhost"],
    ],
  },
  SERVICE_DATABASE_URL: {
    wrong: ["localhost", "mysql://a@b/c", "postgres//x", "postgres://a:b:c@d:x/y"],
    right: [
      ["postgres://a:b@c:5432/d", "postgres://a:b@c:5432/d"],
      ["postgresql://a@/d?host=/run/postgresql", "postgresql://a@/d?host=/run/postgresql"],
    ],
  },
  SERVICE_DATABASE_MIGRATION_URL: { wrong: ["nonsense"], right: [["postgres://a:b@c/d", "postgres://a:b@c/d"]] },
  SERVICE_DATABASE_POOL: { wrong: [...WHOLE, "0", "201"], right: [["20", 20]] },
  SERVICE_BASE_DOMAIN: {
    wrong: ["https://a.nl", "a.nl:80", "A.nl", "-a.nl", "a..nl", "a_b.nl", "a.nl."],
    right: [
      ["kantoor.example", "kantoor.example"],
      ["localhost", "localhost"],
    ],
  },
  SERVICE_PUBLIC_SCHEME: { wrong: ["ftp", "HTTPS", "https://"], right: [["https", "https"]] },
  SERVICE_PUBLIC_PORT: { wrong: [...WHOLE, "0", "65536"], right: [["8443", 8443]] },
  SERVICE_TRUSTED_PROXIES: {
    wrong: [
      "proxy.internal",
      "999.1.1.1",
      "10.0.0.0/33",
      "fd00::/129",
      "10.0.0.0/",
      "10.0.0.0/8/8",
      "10.0.0.1,",
      "10.0.0.1;10.0.0.2",
    ],
    right: [
      ["10.0.0.0/8, ::1", ["10.0.0.0/8", "::1"]],
      ["127.0.0.1", ["127.0.0.1"]],
    ],
  },
  SERVICE_POSTURE: { wrong: ["cloud", "Hosted"], right: [["hosted", "hosted"]] },
  SERVICE_KEY_PREFIX: { wrong: ["k", "1kt", "KT", "k_t", "abcdefghijk"], right: [["acme2", "acme2"]] },
  SERVICE_SECRET: {
    wrong: ["short", "changeme", "x".repeat(31), "x".repeat(64), "abababababababababababababababababab"],
    right: [[SECRET, SECRET]],
  },
  SERVICE_ENCRYPTION_KEY: { wrong: ["short", "password", "0".repeat(40)], right: [[SECRET, SECRET]] },
  SERVICE_RATE_LIMIT_PER_KEY: {
    wrong: WHOLE,
    right: [
      ["0", 0],
      ["25", 25],
    ],
  },
  SERVICE_RATE_LIMIT_SIGN_IN: { wrong: WHOLE, right: [["0", 0]] },
  SERVICE_API_DOCS_ENABLED: {
    wrong: FLAG,
    right: [
      ["false", false],
      ["1", true],
    ],
  },
  SERVICE_API_DOCS_ACCESS: { wrong: ["everybody", ""].slice(0, 1), right: [["staff", "staff"]] },
  SERVICE_DEMO: {
    wrong: FLAG,
    right: [
      ["0", false],
      ["true", true],
    ],
  },
  SERVICE_BODY_LIMIT: { wrong: [...WHOLE, "1023"], right: [["2048", 2048]] },
  SERVICE_REQUEST_TIMEOUT_MS: { wrong: [...WHOLE, "99"], right: [["500", 500]] },
  SERVICE_LOG_LEVEL: { wrong: ["verbose", "INFO"], right: [["silent", "silent"]] },
  SERVICE_NODE_ID: { wrong: ["two words", "a.b", "-a", "a*", "x".repeat(101)], right: [["node-1", "node-1"]] },
  SERVICE_ADDRESS_API_URL: {
    wrong: ["api.pdok.nl", "ftp://a.nl", "https://a:b@c.nl", "https://a.nl/?q=1", "https://a.nl/#x", "https://"],
    right: [["https://addresses.example/v3/", "https://addresses.example/v3"]],
  },
  TRANSPORTER: {
    wrong: ["bogus", "http://x", "nats://", "localhost:4222"],
    right: [["nats://localhost:4222", "nats://localhost:4222"]],
  },
};
/** Settings that take any text. */
const FREE = ["SERVICE_DATA_DIR", "SERVICE_ENVIRONMENT", "SERVICE_GIT_SHA"];
const keyOf = (name: string) =>
  Object.entries(settings).find(([, setting]) => setting.name === name)?.[0] as keyof typeof settings;

describe("the configuration", () => {
  it("has a test here for every setting", () => {
    expect(
      Object.values(settings)
        .map(({ name }) => name)
        .toSorted(),
    ).to.deep.equal([...Object.keys(table), ...FREE].toSorted());
  });

  for (const [name, { wrong, right }] of Object.entries(table)) {
    it(`refuses a wrong ${name} with a sentence that names it`, () => {
      for (const value of wrong) {
        const read = () => readConfig({ SERVICE_SECRET: SECRET, [name]: value });
        expect(read, value).to.throw(ConfigurationError, new RegExp(`^${name} takes [^\\n]+\\.$`));
      }
    });
    it(`takes a right ${name}`, () => {
      for (const [value, wanted] of right) {
        const config = readConfig({ SERVICE_SECRET: SECRET, [name]: ` ${value} ` });
        expect(config[keyOf(name)], value).to.deep.equal(wanted);
      }
    });
  }

  it("is whole without any variable: one process, its own database, a free start", () => {
    const config = readConfig({});
    expect(config).to.deep.include({
      httpPort: 3000,
      baseDomain: "localhost",
      posture: "self-hosted",
      keyPrefix: "kt",
      rateLimitPerKey: 600,
      rateLimitSignIn: 10,
      apiDocsEnabled: true,
      apiDocsAccess: "public",
      bodyLimit: 1_048_576,
      logLevel: "info",
      trustedProxies: undefined,
      secret: undefined,
      transporter: undefined,
    });
    expect(isEmbedded(config)).to.equal(true);
    expect(path.isAbsolute(config.dataDir)).to.equal(true);
  });

  it("takes a blank variable for an unset one", () => {
    expect(readConfig({ SERVICE_HTTP_PORT: "", SERVICE_POSTURE: "  " })).to.deep.include({
      httpPort: 3000,
      posture: "self-hosted",
    });
  });

  it("needs a secret of its own with an external database", () => {
    const external = { SERVICE_DATABASE_URL: "postgres://a:b@c/d" };
    expect(() => readConfig(external)).to.throw(ConfigurationError, /^SERVICE_SECRET is required with SERVICE_DATABASE_URL/);
    expect(isEmbedded(readConfig({ ...external, SERVICE_SECRET: SECRET }))).to.equal(false);
  });

  it("tells what each setting is about, in one line for the README", () => {
    for (const { name, about } of Object.values(settings)) expect(about, name).to.match(/^\S[^\n]{8,}[^.\s]$/);
  });
});
