import { statSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { READY } from "../../../core/health/readiness.ts";
import { DEPLOY, faultsOf, GROUPS, groupOf, makeSecrets, type Parsed, textOf, yamlOf } from "../../support/deploy.ts";

const SECRETS = "/run/secrets";
/** What `.env` has. */
const FILLED: Record<string, string> = {
  SERVICE_BASE_DOMAIN: "agency.example",
  KANTOOR_HOSTS: "office.agency.example",
  KANTOOR_IMAGE: "kantoor",
  KANTOOR_VERSION: "1.2.3",
};
const filled = (text: string) => text.replace(/\$\{(\w+)[^}]*\}/g, (_, name: string) => FILLED[name] ?? `no ${name} in .env`);

describe("deploy/compose.yaml", () => {
  const [compose] = yamlOf("compose.yaml") as [Parsed];
  const services = Object.entries<Parsed>(compose.services);
  const own = services.filter(([, { build }]) => build);
  const folder = makeSecrets();

  it("starts two nodes of each group, with the patterns of the group", () => {
    const nodes = own.flatMap(([, { command }]) => (command?.[0] === "node" ? [groupOf(command.slice(1))] : []));
    expect(nodes.sort()).to.deep.equal(Object.keys(GROUPS).flatMap((name) => [name, name]));
  });

  for (const [name, { environment, secrets }] of own)
    it(`gives ${name} settings that it can start with, and every secret as a file`, () => {
      const given = Object.entries<string>(environment).map(([setting, value]) => [setting, filled(String(value))]);
      expect(faultsOf(Object.fromEntries(given), folder, SECRETS, secrets)).to.deep.equal([]);
    });

  it("has no secret in it: each is a file that the script makes, for its owner alone", () => {
    const given = services.flatMap(([, { secrets = [] }]) => secrets as string[]);
    expect([...new Set(given)].sort()).to.deep.equal(Object.keys(compose.secrets).sort());
    for (const [name, { file }] of Object.entries<Parsed>(compose.secrets)) {
      expect(file).to.equal(`./secrets/${name}`);
      expect(statSync(path.join(folder, name)).mode & 0o777, name).to.equal(0o600);
    }
    const script = textOf("compose.sh");
    for (const name of Object.keys(compose.secrets))
      expect(script, name).to.match(new RegExp(name.replace(/^(postgres|owner|app)-password$/, "-password")));
  });

  it("names a version of each image, and never the newest one", () => {
    for (const [name, { image }] of services) expect(filled(image), name).to.match(/^[a-z/]+:(?!latest)[\w.-]+$/);
  });

  it("runs the service as its user, without capabilities, on a read-only root", () => {
    for (const [name, { user, read_only, cap_drop, security_opt, volumes, tmpfs }] of own) {
      expect([user, read_only, cap_drop, security_opt], name).to.deep.equal([
        "10001:10001",
        true,
        ["ALL"],
        ["no-new-privileges:true"],
      ]);
      expect(volumes[0], name).to.equal("data:/data");
      expect(tmpfs, name).to.deep.equal(["/tmp:mode=1777,exec"]);
    }
  });

  it("lets the proxy ask the gateways whether they are ready, where they listen", () => {
    const caddyfile = textOf("caddy/Caddyfile");
    expect(caddyfile).to.contain(`health_uri ${READY}\n`);
    const upstreams = /reverse_proxy (.*) \{/.exec(caddyfile)?.[1]?.split(" ") ?? [];
    const gateways = own
      .filter(([, { command }]) => groupOf(command?.slice(1) ?? []) === "gateways")
      .map(([name]) => `${name}:3000`);
    expect(upstreams).to.deep.equal(gateways);
    expect(compose.services.proxy.networks).to.deep.equal(["edge"]);
    for (const [name, { networks = [] }] of services)
      if (networks.includes("edge"))
        expect(["proxy", ...gateways.map((gateway) => gateway.split(":")[0])], name).to.include(name);
  });

  it("mounts only files that exist", () => {
    for (const [name, { volumes = [] }] of services)
      for (const volume of volumes as string[]) {
        const [source] = volume.split(":") as [string];
        if (source.startsWith("./") && source !== "./backups")
          expect(statSync(path.join(DEPLOY, source)), name).to.be.an("object");
        else if (!source.startsWith("./")) expect(compose.volumes, name).to.have.property(source);
      }
  });
});
