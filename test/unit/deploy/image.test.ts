import { spawn } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { LIVE, readinessOf } from "../../../core/health/readiness.ts";
import { serveProbes } from "../../../operator/health-server.ts";
import { DEPLOY, textOf, yamlOf } from "../../support/deploy.ts";
import { freePort } from "../../support/ports.ts";

const ROOT = path.join(DEPLOY, "..");
const SOURCES = "{bin,cli,core,integrations,migrations,mixins,operator,services}/**/*.{ts,mjs}";
const read = (file: string) => readFileSync(path.join(ROOT, file), "utf8");

describe("the image", () => {
  const dockerfile = read("Dockerfile");

  it("names the version of its base, runs as a fixed user, and ends by SIGTERM", () => {
    expect(dockerfile).to.match(/^ARG NODE=node:24-bookworm-slim$/m);
    // The packages, the bundle, and the image.
    expect(dockerfile.match(/^FROM \$\{NODE\}/gm)).to.have.length(3);
    expect(dockerfile).to.match(/^USER 10001:10001$/m);
    expect(dockerfile).to.match(/^STOPSIGNAL SIGTERM$/m);
    expect(dockerfile).to.match(/^ENTRYPOINT \["tini", "--", "node", "\/app\/bin\/run\.mjs"\]$/m);
  });

  it("contains the bill of materials of the packages that it contains, named by a label", () => {
    const stages = dockerfile.split(/^FROM /m);
    const copies = ["packages", "packages-without-postgresql"].map((stage) =>
      stages.filter((text) =>
        text.includes(`COPY --from=${stage} /app/node_modules node_modules\nCOPY --from=${stage} /app/sbom.json ./`),
      ),
    );
    expect(copies.map(({ length }) => length)).to.deep.equal([1, 1]);
    for (const copied of [/ AS packages$/m, / AS packages-without-postgresql$/m])
      expect(stages.find((text) => copied.test(text))).to.match(/&& node bin\/sbom\.mjs$/m);
    expect(dockerfile).to.contain('kantoor.sbom="/app/sbom.json"');
  });

  it("has the port of the probes that the deploy files name", () => {
    const [, port] = /SERVICE_HEALTH_PORT=(\d+)/.exec(dockerfile) ?? [];
    expect(yamlOf("compose.yaml")[0]["x-settings"].SERVICE_HEALTH_PORT).to.equal(port);
    expect(textOf("kubernetes/base/kustomization.yaml")).to.contain(`SERVICE_HEALTH_PORT=${port}\n`);
  });

  it("contains every file that the service imports, and what the deploy files run in it", () => {
    const taken = read(".dockerignore")
      .split("\n")
      .flatMap((line) => (line.startsWith("!") ? [line.slice(1)] : []));
    const isTaken = (file: string) => taken.some((entry) => file === entry || file.startsWith(`${entry}/`));
    const files = globSync(SOURCES, { cwd: ROOT }).concat("main.ts");
    const imported = files.flatMap((file) =>
      [...read(file).matchAll(/(?:from|import\() ?"(\.{1,2}\/[^"]+)"/g)].map(([, name]) =>
        path.join(path.dirname(file), name as string),
      ),
    );
    const run = ["deploy/backup.sh", "deploy/healthcheck.mjs", "docs/README.md"];
    expect([...new Set([...files, ...imported, ...run])].filter((file) => !isTaken(file))).to.deep.equal([]);
  });
});

describe("the health check of the image", () => {
  let close = async () => {};
  afterEach(() => close());

  const statusAt = (environment: Record<string, string>) =>
    new Promise((resolve) => {
      const child = spawn(process.execPath, [path.join(DEPLOY, "healthcheck.mjs")], { env: environment, stdio: "ignore" });
      child.once("close", resolve);
    });

  it("takes a node that lives at either port, ready or not, and none that does not", async () => {
    const [port, other] = [String(await freePort()), String(await freePort())];
    expect(await statusAt({ SERVICE_HTTP_PORT: port, SERVICE_HEALTH_PORT: other })).to.equal(1);
    close = await serveProbes({ port: Number(port), host: "127.0.0.1" }, async () => readinessOf(["database"]));
    expect(await statusAt({ SERVICE_HTTP_PORT: port, SERVICE_HEALTH_PORT: other })).to.equal(0);
    expect(await statusAt({ SERVICE_HTTP_PORT: other, SERVICE_HEALTH_PORT: port })).to.equal(0);
    expect(textOf("healthcheck.mjs")).to.contain(LIVE);
  });
});
