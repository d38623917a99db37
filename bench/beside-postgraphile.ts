import { createHash } from "node:crypto";
import http from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { parseArgs } from "node:util";

/**
 * PostGraphile 5 from an installation of its own, as its documentation sets it up for production: the preset that serves tables as V4 did,
 * node's http server, a pool of ten, the caller's organisation as a setting of the transaction. Its role sees only the tables of the bench.
 */
const { values: given } = parseArgs({
  options: {
    folder: { type: "string" },
    url: { type: "string" },
    organisation: { type: "string" },
    key: { type: "string" },
  },
});
const { folder, url, organisation, key } = given;
if (!folder || !url || !organisation || !key) throw new Error("--folder, --url, --organisation and --key are needed");

const installed = createRequire(path.join(path.resolve(folder), "package.json"));
const { postgraphile } = installed("postgraphile");
const { PostGraphileAmberPreset } = installed("postgraphile/presets/amber");
const { makePgService } = installed("postgraphile/adaptors/pg");
const { grafserv } = installed("postgraphile/grafserv/node");

const digest = (text: string) => createHash("sha256").update(text).digest("hex");
const keys = new Map([[digest(key), organisation]]);
interface Context {
  node?: { req: http.IncomingMessage };
}
const instance = postgraphile({
  extends: [PostGraphileAmberPreset],
  pgServices: [makePgService({ connectionString: url, schemas: ["public", "bench"], poolConfig: { max: 10 } })],
  grafserv: { watch: false, graphiql: false, websockets: false },
  grafast: {
    explain: false,
    context({ node }: Context) {
      const tenant = keys.get(digest((node?.req.headers["x-api-key"] as string) ?? ""));
      if (!tenant) throw new Error("unauthorized");
      return { pgSettings: { "app.organisation_id": tenant } };
    },
  },
});
const server = http.createServer();
await instance.createServ(grafserv).addTo(server);
server.listen(0, "127.0.0.1", () => process.stdout.write(`{"port":${(server.address() as AddressInfo).port}}\n`));
