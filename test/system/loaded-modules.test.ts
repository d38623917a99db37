import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { cloneDatabase, type TestDatabase } from "../support/database.ts";
import { send } from "../support/http.ts";
import { nodeSettings } from "../support/nodes/nodes.ts";
import { launchService, type Spawned } from "../support/process.ts";

/** Packages that hold up a start and fill memory, by what first needs them. */
const LATER: Readonly<Record<string, readonly string[]>> = {
  "calls to providers": [
    ...["googleapis", "googleapis-common", "google-auth-library", "gaxios", "socket.io-client", "@aws-sdk/client-s3", "mongodb"],
    ...["@anthropic-ai/sdk", "openai", "openid-client", "web-push", "nodemailer", "dns-packet", "nats"],
  ],
  "files and documents": [
    ...["exceljs", "csv-parse", "yauzl", "yazl", "saxes", "sharp", "file-type", "xmlbuilder2", "@oozcitak/dom", "qrcode"],
    ...["puppeteer-core", "@cantoo/pdf-lib", "liquidjs", "sanitize-html", "postcss", "htmlparser2", "d3-scale", "d3-shape"],
  ],
  "single requests": [
    ...["libphonenumber-js", "re2js", "otplib", "date-holidays", "markdown-it", "@modelcontextprotocol/server"],
    ...["redoc", "swagger-ui-dist", "@scalar/fastify-api-reference"],
  ],
  "rows for engineers": ["sequelize", "moleculer-db", "moleculer-db-adapter-sequelize", "moment-timezone", "validator"],
  "the types of schemas": ["typebox"],
  traces: ["@opentelemetry"],
};
const HOOKS = path.join(import.meta.dirname, "../support/loaded-modules.mjs");

describe("what starting the service loads", function () {
  this.timeout(180_000);
  const folder = mkdtempSync(path.join(tmpdir(), "kantoor-loaded-"));
  const file = path.join(folder, "modules");
  let database: TestDatabase;
  let node: Spawned;
  before(async () => {
    database = await cloneDatabase();
    const environment = { ...nodeSettings(database), SERVICE_DATABASE_MIGRATION_URL: database.owner, LOADED_MODULES: file };
    node = await launchService(environment, [], { flags: ["--import", HOOKS] });
  });
  after(async () => {
    await node?.stop();
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  const loaded = () => readFileSync(file, "utf8").trim().split("\n");

  it("is measured on a node that is ready", async () => {
    expect((await send(node.port as number, "GET", "/health/ready")).status).to.equal(200);
    expect(loaded().some((url) => url.endsWith("/mixins/google/oauth-client.ts"))).to.equal(true);
  });

  for (const [need, names] of Object.entries(LATER))
    it(`excludes packages for ${need}`, () => {
      const found = names.filter((name) => loaded().some((url) => url.includes(`/node_modules/${name}/`)));
      expect(found).to.deep.equal([]);
    });
});
