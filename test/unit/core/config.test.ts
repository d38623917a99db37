import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import {
  type Config,
  ConfigurationError,
  isEmbedded,
  readConfig,
  readEnvironment,
  unknownSettings,
} from "../../../core/config/config.ts";
import type { Setting } from "../../../core/config/setting.ts";
import { settings } from "../../../core/config/settings.ts";

const SECRET = "0123456789abcdef0123456789abcdef-made-up";
const WHOLE = ["-1", "1.5", "ten", "1e3", "0x10", "99999999999999"];
const FLAG = ["yes", "on", "TRUE", "2"];

/** Values each setting refuses, and values it accepts with their results. */
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
  SERVICE_DATABASE_READ_URLS: {
    wrong: ["replica", "postgres://a:b@c/d,", "postgres://a:b@c/d,mysql://e/f"],
    right: [
      ["postgres://a:b@c/d", ["postgres://a:b@c/d"]],
      ["postgres://a:b@c/d, postgres://a:b@e:5433/d", ["postgres://a:b@c/d", "postgres://a:b@e:5433/d"]],
    ],
  },
  SERVICE_DATABASE_READ_LAG_MS: { wrong: [...WHOLE, "999", "600001"], right: [["60000", 60_000]] },
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
  SERVICE_CHROMIUM_PATH: { wrong: [], right: [["/opt/chromium/chrome", "/opt/chromium/chrome"]] },
  SERVICE_PDF_TIMEOUT_MS: { wrong: [...WHOLE, "99", "120001"], right: [["2500", 2500]] },
  SERVICE_POSTURE: { wrong: ["cloud", "Hosted"], right: [["hosted", "hosted"]] },
  SERVICE_LICENSING: { wrong: ["on", "Required", "none"], right: [["required", "required"]] },
  SERVICE_KEY_PREFIX: { wrong: ["k", "1kt", "KT", "k_t", "abcdefghijk"], right: [["acme2", "acme2"]] },
  SERVICE_SECRET: {
    wrong: ["short", "changeme", "x".repeat(31), "x".repeat(64), "abababababababababababababababababab"],
    right: [[SECRET, SECRET]],
  },
  SERVICE_ENCRYPTION_KEY: { wrong: ["short", "password", "0".repeat(40), `${SECRET},${SECRET}`], right: [[SECRET, SECRET]] },
  SERVICE_ENCRYPTION_OTHER_KEYS: {
    wrong: ["short", `${SECRET},short`, `${SECRET},`, "0".repeat(40)],
    right: [
      [SECRET, [SECRET]],
      [`${SECRET}, ${SECRET}-2`, [SECRET, `${SECRET}-2`]],
    ],
  },
  SERVICE_RATE_LIMIT_PER_KEY: {
    wrong: WHOLE,
    right: [
      ["0", 0],
      ["25", 25],
    ],
  },
  SERVICE_RATE_LIMIT_SIGN_IN: { wrong: WHOLE, right: [["0", 0]] },
  SERVICE_RATE_LIMIT_ACCOUNT: { wrong: WHOLE, right: [["0", 0]] },
  SERVICE_RATE_LIMIT_CLIENT_REGISTRATION: { wrong: WHOLE, right: [["0", 0]] },
  SERVICE_FORCE_LOCAL_LOGIN: { wrong: ["maybe"], right: [["true", true]] },
  SERVICE_IMPERSONATION_MINUTES: { wrong: ["0", "1441", ...WHOLE], right: [["15", 15]] },
  SERVICE_REGISTRATION: { wrong: ["yes", "Open"], right: [["quiet", "quiet"]] },
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
  SERVICE_COUNT_STATEMENTS: {
    wrong: FLAG,
    right: [
      ["false", false],
      ["1", true],
    ],
  },
  SERVICE_SLOW_STATEMENT_MS: {
    wrong: [...WHOLE, "600001"],
    right: [
      ["0", 0],
      ["250", 250],
    ],
  },
  SERVICE_WEBHOOK_DELIVERIES_DAYS: { wrong: [...WHOLE, "6", "3661"], right: [["90", 90]] },
  SERVICE_MESSAGES_DAYS: { wrong: [...WHOLE, "8", "3661"], right: [["90", 90]] },
  SERVICE_FAILED_JOBS_DAYS: { wrong: [...WHOLE, "6", "3661"], right: [["90", 90]] },
  SERVICE_ORGANISATION_BACKUP_DAYS: { wrong: [...WHOLE, "0", "3651"], right: [["90", 90]] },
  SERVICE_TRAIL_DAYS: { wrong: [...WHOLE, "364", "3661"], right: [["730", 730]] },
  SERVICE_BODY_LIMIT: { wrong: [...WHOLE, "1023"], right: [["2048", 2048]] },
  SERVICE_UPLOAD_LIMIT: { wrong: [...WHOLE, "1023", "1073741825"], right: [["2048", 2048]] },
  SERVICE_FILES_BUCKET: { wrong: ["ab", "Files", "a_b_c", "-abc", "https://x"], right: [["agency.files-1", "agency.files-1"]] },
  SERVICE_ACCOUNTING_JOURNAL_BUCKET: { wrong: ["ab", "Journal", "https://x"], right: [["agency.journal-1", "agency.journal-1"]] },
  SERVICE_FILES_REGION: { wrong: ["eu central", "EU", "x"], right: [["us-east-1", "us-east-1"]] },
  SERVICE_STORAGE_API_URL: {
    wrong: ["storage:9000", "s3://bucket", "https://key:secret@storage.example", "https://storage.example/?x=1"],
    right: [["http://127.0.0.1:9000/", "http://127.0.0.1:9000"]],
  },
  SERVICE_REQUEST_TIMEOUT_MS: { wrong: [...WHOLE, "99"], right: [["500", 500]] },
  SERVICE_SHUTDOWN_DELAY_MS: { wrong: [...WHOLE, "60001"], right: [["5000", 5000]] },
  SERVICE_CORS_ORIGINS: {
    wrong: [
      "*",
      "app.example",
      "https://app.example/",
      "https://app.example/path",
      "ftp://app.example",
      "https://APP.example",
      "null",
    ],
    right: [["https://app.example, http://localhost:5173", ["https://app.example", "http://localhost:5173"]]],
  },
  SERVICE_LOG_LEVEL: { wrong: ["verbose", "INFO"], right: [["silent", "silent"]] },
  SERVICE_NODE_ID: { wrong: ["two words", "a.b", "-a", "a*", "x".repeat(101)], right: [["node-1", "node-1"]] },
  SERVICE_ADDRESS_API_URL: {
    wrong: ["api.pdok.nl", "ftp://a.nl", "https://a:b@c.nl", "https://a.nl/?q=1", "https://a.nl/#x", "https://"],
    right: [["https://addresses.example/v3/", "https://addresses.example/v3"]],
  },
  SERVICE_UPDATE_API_URL: {
    wrong: ["api.github.com", "https://api.github.com/repos/a/b?x=1", "https://token@api.github.com"],
    right: [["https://api.github.com/repos/a/b/", "https://api.github.com/repos/a/b"]],
  },
  SERVICE_PAYMENT_API_ROOT: {
    wrong: ["api.mollie.com", "ftp://a.nl", "https://a:b@c.nl"],
    right: [["https://pay.example/v2/", "https://pay.example/v2"]],
  },
  SERVICE_EDGE_API_URL: {
    wrong: ["api.cloudflare.com", "https://a:b@c"],
    right: [["https://edge.example/client/v4/", "https://edge.example/client/v4"]],
  },
  SERVICE_ACCOUNT_SYNC_HOURS: {
    wrong: [...WHOLE, "169"],
    right: [
      ["0", 0],
      ["12", 12],
    ],
  },
  SERVICE_AI_ANTHROPIC_API_URL: {
    wrong: ["api.anthropic.com", "ftp://a.nl", "https://a:b@c.nl"],
    right: [["https://models.example/", "https://models.example"]],
  },
  SERVICE_AI_OPENAI_API_URL: {
    wrong: ["api.openai.com", "ftp://a.nl", "https://a:b@c.nl"],
    right: [["https://models.example/v1/", "https://models.example/v1"]],
  },
  SERVICE_AI_READ_TIMEOUT_MS: {
    wrong: [...WHOLE, "99", "180001"],
    right: [["60000", 60000]],
  },
  SERVICE_REGISTRAR_API_URL: {
    wrong: ["api.oxxa.com", "ftp://a.nl", "https://a:b@c.nl"],
    right: [["https://register.example/", "https://register.example"]],
  },
  SERVICE_WORKSPACE_OAUTH_API_URL: {
    wrong: ["googleapis.com", "ftp://a.nl", "https://a:b@c.nl"],
    right: [["https://tokens.example/", "https://tokens.example"]],
  },
  SERVICE_WORKSPACE_CALENDAR_API_URL: {
    wrong: ["googleapis.com", "ftp://a.nl", "https://a:b@c.nl"],
    right: [["https://calendar.example/calendar/v3/", "https://calendar.example/calendar/v3"]],
  },
  SERVICE_WORKSPACE_DRIVE_API_URL: {
    wrong: ["googleapis.com", "ftp://a.nl", "https://a:b@c.nl"],
    right: [["https://drive.example/drive/v3/", "https://drive.example/drive/v3"]],
  },
  SERVICE_WORKSPACE_UPLOAD_API_URL: {
    wrong: ["googleapis.com", "ftp://a.nl", "https://a:b@c.nl"],
    right: [["https://drive.example/upload/drive/v3/", "https://drive.example/upload/drive/v3"]],
  },
  SERVICE_WORKSPACE_GMAIL_API_URL: {
    wrong: ["googleapis.com", "ftp://a.nl", "https://a:b@c.nl"],
    right: [["https://mail.example/gmail/v1/", "https://mail.example/gmail/v1"]],
  },
  SERVICE_WORKSPACE_ANALYTICS_ADMIN_API_URL: {
    wrong: ["googleapis.com", "ftp://a.nl", "https://a:b@c.nl"],
    right: [["https://mail.example/gmail/v1/", "https://mail.example/gmail/v1"]],
  },
  SERVICE_WORKSPACE_ANALYTICS_DATA_API_URL: {
    wrong: ["googleapis.com", "ftp://a.nl", "https://a:b@c.nl"],
    right: [["https://mail.example/gmail/v1/", "https://mail.example/gmail/v1"]],
  },
  SERVICE_WORKSPACE_SEARCH_CONSOLE_API_URL: {
    wrong: ["googleapis.com", "ftp://a.nl", "https://a:b@c.nl"],
    right: [["https://mail.example/gmail/v1/", "https://mail.example/gmail/v1"]],
  },
  SERVICE_ADS_API_URL: {
    wrong: ["googleapis.com", "ftp://a.nl", "https://a:b@c.nl"],
    right: [["https://mail.example/gmail/v1/", "https://mail.example/gmail/v1"]],
  },
  SERVICE_SERANKING_API_URL: {
    wrong: ["googleapis.com", "ftp://a.nl", "https://a:b@c.nl"],
    right: [["https://mail.example/gmail/v1/", "https://mail.example/gmail/v1"]],
  },
  SERVICE_SERANKING_ENGINES_PATH: {
    wrong: ["engines", "/engines?a=b", "//engines", "https://a.nl/engines"],
    right: [["/system/search-engines", "/system/search-engines"]],
  },
  SERVICE_ADS_API_VERSION: { wrong: ["26", "v0", "v26/", "latest"], right: [["v25", "v25"]] },
  SERVICE_SMS_API_URL: {
    wrong: ["api.telnyx.com", "ftp://a.nl", "https://a:b@c.nl"],
    right: [["https://sms.example/v2/", "https://sms.example/v2"]],
  },
  SERVICE_SMS_SENDER: {
    wrong: ["0612345678", "+31", "12345", "Much Too Long", "Kant-oor", "+31612345678901234"],
    right: [
      ["+31612345678", "+31612345678"],
      ["Kantoor 24", "Kantoor 24"],
    ],
  },
  SERVICE_SLACK_API_URL: {
    wrong: ["hooks.slack.com", "ftp://a.nl", "https://a:b@c.nl"],
    right: [["http://127.0.0.1:4/", "http://127.0.0.1:4"]],
  },
  SERVICE_DISCORD_API_URL: {
    wrong: ["discord.com", "ftp://a.nl", "https://a:b@c.nl"],
    right: [["http://127.0.0.1:4/", "http://127.0.0.1:4"]],
  },
  SERVICE_GCHAT_API_URL: {
    wrong: ["chat.googleapis.com", "ftp://a.nl", "https://a:b@c.nl"],
    right: [["http://127.0.0.1:4/", "http://127.0.0.1:4"]],
  },
  SERVICE_MSTEAMS_API_URL: {
    wrong: ["outlook.office.com", "ftp://a.nl", "https://a:b@c.nl"],
    right: [["http://127.0.0.1:4/", "http://127.0.0.1:4"]],
  },
  SERVICE_TELEGRAM_API_URL: {
    wrong: ["api.telegram.org", "ftp://a.nl", "https://a:b@c.nl"],
    right: [["http://127.0.0.1:4/", "http://127.0.0.1:4"]],
  },
  SERVICE_OUTBOUND_ALLOWED_RANGES: {
    wrong: ["intranet", "10.0.0.0/33", "10.0.0.1,", "true"],
    right: [["10.1.0.0/16, fd12::1", ["10.1.0.0/16", "fd12::1"]]],
  },
  SERVICE_OUTBOUND_NAME_SERVERS: {
    wrong: ["dns.example", "1.2.3", "1.1.1.1:x", "9.9.9.9,", "::1:", "[::1]:123456"],
    right: [["1.1.1.1, 127.0.0.1:5353, ::1, [::1]:53", ["1.1.1.1", "127.0.0.1:5353", "::1", "[::1]:53"]]],
  },
  SERVICE_MAIL_PROVIDER: { wrong: ["mailgun", "SMTP"], right: [] },
  SERVICE_MAIL_FROM_ADDRESS: {
    wrong: ["Kantoor <a@b.nl>", "a@b@c", "a b@c.nl", "a\nb@c.nl"],
    right: [["post@kantoor.example", "post@kantoor.example"]],
  },
  SERVICE_MAIL_PORT: { wrong: [...WHOLE, "0", "65536"], right: [["2525", 2525]] },
  SERVICE_MAIL_SECURITY: { wrong: ["ssl", "TLS"], right: [["tls", "tls"]] },
  SERVICE_MAIL_BREVO_API_URL: {
    wrong: ["api.brevo.com", "https://key@api.brevo.com"],
    right: [["http://127.0.0.1:4/v3/", "http://127.0.0.1:4/v3"]],
  },
  SERVICE_MAIL_SENDGRID_API_URL: { wrong: ["ftp://x"], right: [["http://127.0.0.1:4/v3", "http://127.0.0.1:4/v3"]] },
  SERVICE_MAIL_SMTP2GO_API_URL: { wrong: ["//x"], right: [["http://127.0.0.1:4/v3", "http://127.0.0.1:4/v3"]] },
  SERVICE_JOBS_URL: {
    wrong: ["postgres://localhost/jobs", "mongodb:", "localhost:27017"],
    right: [["mongodb://localhost:27017/kantoor", "mongodb://localhost:27017/kantoor"]],
  },
  SERVICE_JOBS_POLL_MS: { wrong: [...WHOLE, "99"], right: [["250", 250]] },
  SERVICE_METRICS_PORT: { wrong: [...WHOLE, "0"], right: [["9464", 9464]] },
  SERVICE_METRICS_ADDRESS: { wrong: ["everywhere", "1.2.3"], right: [["0.0.0.0", "0.0.0.0"]] },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    wrong: ["collector:4318", "grpc://collector:4317", "https://key@collector", "http://collector?key=a"],
    right: [["http://127.0.0.1:4318/", "http://127.0.0.1:4318"]],
  },
  SERVICE_MOLECULER_TRACING: {
    wrong: ["true", "console", "Console,", "StatsD", "{Console}", "[]", '{"type":"StatsD"}', '[{"type":"Console"},"Event"]'],
    right: [
      ["Console, Event", [{ type: "Console" }, { type: "Event" }]],
      ['{"type":"Zipkin","options":{"baseURL":"http://a:9411"}}', [{ type: "Zipkin", options: { baseURL: "http://a:9411" } }]],
    ],
  },
  SERVICE_MOLECULER_METRICS: { wrong: ["Jaeger", "[1]"], right: [['[{"type":"StatsD"}]', [{ type: "StatsD" }]]] },
  SERVICE_HEALTH_PORT: { wrong: [...WHOLE, "0"], right: [["8081", 8081]] },
  SERVICE_HEALTH_ADDRESS: { wrong: ["everywhere", "1.2.3"], right: [["0.0.0.0", "0.0.0.0"]] },
  TRANSPORTER: {
    wrong: ["bogus", "http://x", "nats://", "localhost:4222", "tcp://x", "nats://a,tls://b", "nats://a/b", "nats://localhost,"],
    right: [
      ["nats://localhost:4222", [new URL("nats://localhost:4222")]],
      ["tls://u:p@a:4222, tls://b", [new URL("tls://u:p@a:4222"), new URL("tls://b")]],
    ],
  },
  SERVICE_TRANSPORT_INSECURE: { wrong: ["yes"], right: [["true", true]] },
  SERVICE_PACKETS_UNSIGNED: { wrong: ["true", "ACCEPT"], right: [["accept", "accept"]] },
};
/** Settings that take any text. */
const FREE = [
  "SERVICE_ACCOUNTING_JOURNAL_FOLDER",
  "SERVICE_FILES_KEY_ID",
  "SERVICE_FILES_KEY_SECRET",
  "SERVICE_DATA_DIR",
  "SERVICE_ENVIRONMENT",
  "SERVICE_GIT_SHA",
  "SERVICE_MAIL_FROM_NAME",
  "SERVICE_MAIL_HOST",
  "SERVICE_MAIL_USERNAME",
  "SERVICE_MAIL_SECRET",
  "SERVICE_ADS_DEVELOPER_TOKEN",
  "SERVICE_SMS_API_KEY",
  "SERVICE_SMS_PROFILE",
  "SERVICE_TRANSPORT_CA_FILE",
  "SERVICE_TRANSPORT_CREDENTIALS_FILE",
  "SERVICE_WORKSPACE_CLIENT_ID",
  "SERVICE_WORKSPACE_CLIENT_SECRET",
];
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
        expect(read, value).to.throw(ConfigurationError, new RegExp(`^${name} must (?:be|have) [^\\n]+\\.$`));
      }
    });
    it(`takes a right ${name}`, () => {
      for (const [value, wanted] of right) {
        const config = readConfig({ SERVICE_SECRET: SECRET, SERVICE_DATABASE_URL: "postgres://a:b@c/d", [name]: ` ${value} ` });
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
      licensing: "off",
      keyPrefix: "kt",
      rateLimitPerKey: 600,
      rateLimitSignIn: 10,
      rateLimitAccount: 5,
      rateLimitClientRegistration: 10,
      registration: "open",
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

  it("takes the OAuth client of the workspace suite and its secret together", () => {
    const both = { SERVICE_WORKSPACE_CLIENT_ID: "client.apps.example", SERVICE_WORKSPACE_CLIENT_SECRET: "its secret" };
    expect(readConfig(both)).to.deep.include({ workspaceClientId: "client.apps.example", workspaceClientSecret: "its secret" });
    for (const [name, value] of Object.entries(both))
      expect(() => readConfig({ [name]: value })).to.throw(ConfigurationError, /are needed together/);
  });

  it("takes a blank variable for an unset one", () => {
    expect(readConfig({ SERVICE_HTTP_PORT: "", SERVICE_POSTURE: "  " })).to.deep.include({
      httpPort: 3000,
      posture: "self-hosted",
    });
  });

  const misspelt: [string, string][] = [
    ["SERVICE_HTPP_PORT", "SERVICE_HTTP_PORT"],
    ["SERVICE_HTTP_PROT", "SERVICE_HTTP_PORT"],
    ["SERVICE_DATADIR", "SERVICE_DATA_DIR"],
    ["SERVICE_TRUSTED_PROXY", "SERVICE_TRUSTED_PROXIES"],
    ["SERVICE_REQUEST_TIMEOUT", "SERVICE_REQUEST_TIMEOUT_MS"],
    ["SERVICE_secret", "SERVICE_SECRET"],
    ["Service_Posture", "SERVICE_POSTURE"],
  ];
  for (const [wrong, right] of misspelt)
    it(`refuses ${wrong} and names ${right}`, () => {
      const read = () => readConfig({ [wrong]: "1" });
      expect(read).to.throw(ConfigurationError, `${wrong} is not a setting of the service: ${right} is the nearest.`);
    });

  it("continues with a variable that is nowhere near a setting, and names the nearest", () => {
    const environment = { SERVICE_PORT_443_TCP_ADDR: "10.0.0.1", SERVICE_HTTP_PORT: "1", SERVICE_SECERT: " " };
    expect(readConfig(environment).httpPort).to.equal(1);
    const [unknown, ...others] = unknownSettings(environment);
    expect(others).to.deep.equal([]);
    expect(unknown).to.include({ name: "SERVICE_PORT_443_TCP_ADDR", isMisspelt: false });
    expect(Object.values(settings).map(({ name }) => name as string)).to.include(unknown?.nearest);
  });

  it("names the setting that has all the words of a shorter name", () => {
    expect(unknownSettings({ SERVICE_PORT: "80" })).to.deep.equal([
      { name: "SERVICE_PORT", nearest: "SERVICE_HTTP_PORT", isMisspelt: false },
    ]);
  });

  it("takes every setting for its own name", () => {
    expect(unknownSettings(Object.fromEntries(Object.values(settings).map(({ name }) => [name, "x"])))).to.deep.equal([]);
  });

  it("needs a secret of its own with an external database", () => {
    const external = { SERVICE_DATABASE_URL: "postgres://a:b@c/d" };
    expect(() => readConfig(external)).to.throw(ConfigurationError, /^SERVICE_SECRET is required with SERVICE_DATABASE_URL/);
    expect(isEmbedded(readConfig({ ...external, SERVICE_SECRET: SECRET }))).to.equal(false);
  });

  it("refuses an owner of the tables without a database, which it would ignore", () => {
    const owner = { SERVICE_DATABASE_MIGRATION_URL: "postgres://a:b@c/d" };
    expect(() => readConfig(owner)).to.throw(ConfigurationError, /^SERVICE_DATABASE_MIGRATION_URL is set without/);
  });

  it("refuses half a mail transport and names the missing part", () => {
    const relay = { SERVICE_MAIL_PROVIDER: "smtp", SERVICE_MAIL_FROM_ADDRESS: "a@b.nl", SERVICE_MAIL_HOST: "relay" };
    expect(readConfig(relay)).to.deep.include({ mailProvider: "smtp", mailHost: "relay", mailSecurity: "starttls" });
    const faults: [Record<string, string>, RegExp][] = [
      [{ SERVICE_MAIL_PROVIDER: "smtp" }, /^SERVICE_MAIL_FROM_ADDRESS, SERVICE_MAIL_HOST are required/],
      [{ ...relay, SERVICE_MAIL_USERNAME: "me" }, /^SERVICE_MAIL_SECRET is required with SERVICE_MAIL_PROVIDER=smtp\.$/],
      [{ ...relay, SERVICE_MAIL_PROVIDER: "brevo" }, /^SERVICE_MAIL_SECRET is required with SERVICE_MAIL_PROVIDER=brevo\.$/],
    ];
    for (const [environment, sentence] of faults) expect(() => readConfig(environment)).to.throw(ConfigurationError, sentence);
  });

  it("describes each setting, in one line for docs/configuration.md", () => {
    for (const { name, about } of Object.values(settings)) expect(about, name).to.match(/^\S[^\n]{8,}[^.\s]$/);
  });

  describe("by file", () => {
    let folder: string;
    before(() => (folder = mkdtempSync(path.join(tmpdir(), "kantoor-config-"))));
    after(() => rmSync(folder, { recursive: true }));
    const fileWith = (text: string) => {
      const file = path.join(folder, "value");
      writeFileSync(file, text);
      return file;
    };

    it("reads the value of every setting, without the line break at its end", () => {
      for (const { name } of Object.values(settings)) {
        const [text] = table[name]?.right[0] ?? [];
        if (text === undefined) continue;
        const key = Object.keys(settings).find((one) => settings[one as keyof typeof settings].name === name);
        const [byFile, given] = [{ [`${name}_FILE`]: fileWith(`${text}\n`) }, { [name]: text }].map((part) =>
          readEnvironment(part),
        );
        expect(byFile?.config[key as keyof Config], name).to.deep.equal(given?.config[key as keyof Config]);
        expect(byFile?.given.find(({ setting }) => setting.name === name)?.from, name).to.equal("file");
      }
    });

    it("refuses a value in both places, an empty file and a file that cannot be read, and never shows the value", () => {
      const file = fileWith(`${SECRET}\n`);
      const faultsOf = (environment: NodeJS.ProcessEnv) => readEnvironment(environment).faults;
      expect(faultsOf({ SERVICE_SECRET: SECRET, SERVICE_SECRET_FILE: file })).to.deep.equal([
        "SERVICE_SECRET is set, and so is SERVICE_SECRET_FILE: leave one of them out.",
      ]);
      const [missing] = faultsOf({ SERVICE_SECRET_FILE: path.join(folder, "absent") });
      expect(missing).to.match(/^SERVICE_SECRET cannot be read: ENOENT/);
      expect(faultsOf({ SERVICE_SECRET_FILE: fileWith(" \n") })).to.deep.equal([
        "SERVICE_SECRET has no value: the file of SERVICE_SECRET_FILE is empty.",
      ]);
      expect(faultsOf({ SERVICE_SECRET_FILE: fileWith("short-and-private") }).join()).not.to.contain("private");
    });
  });

  it("marks every setting as secret whose value opens something", () => {
    const secret = Object.values<Setting<unknown>>(settings).filter(({ isSecret }) => isSecret);
    const named = Object.values<Setting<unknown>>(settings).filter(({ name }) =>
      /SECRET|PASSWORD|TOKEN|(?<!PER)_KEYS?$/.test(name),
    );
    expect(named.filter(({ isSecret }) => !isSecret).map(({ name }) => name)).to.deep.equal([]);
    expect(secret.map(({ name }) => name)).to.include.members(["SERVICE_DATABASE_URL", "TRANSPORTER", "SERVICE_JOBS_URL"]);
  });

  it("names every fault at once", () => {
    const { faults } = readEnvironment({ SERVICE_SECERT: "x", SERVICE_HTTP_PORT: "x", SERVICE_POSTURE: "x" });
    expect(faults.map((fault) => fault.split(" ")[0])).to.deep.equal(["SERVICE_SECERT", "SERVICE_HTTP_PORT", "SERVICE_POSTURE"]);
  });
});
