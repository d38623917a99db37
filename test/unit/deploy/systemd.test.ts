import { execFileSync } from "node:child_process";
import { cpSync, globSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { DEPLOY, faultsOf, GROUPS, groupOf, makeSecrets, textOf } from "../../support/deploy.ts";

const ROOT = path.join(import.meta.dirname, "../../..");
const UNITS = path.join(DEPLOY, "systemd");
const CREDENTIALS = "%d";

/** The values of each key of a unit, in order. */
function readUnit(file: string): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const line of textOf(`systemd/${file}`).split("\n")) {
    const [, key, value] = /^([A-Z]\w+)=(.*)$/.exec(line) ?? [];
    if (key) values.set(key, [...(values.get(key) ?? []), value as string]);
  }
  return values;
}
const hardening = readUnit("kantoor-.service.d/hardening.conf");
const services = globSync("*.service", { cwd: UNITS }).sort();

describe("deploy/systemd", () => {
  const folder = makeSecrets();
  const commandOf = (file: string) => readUnit(file).get("ExecStart")?.[0]?.split(" ") ?? [];

  it("starts two nodes of each group, with the patterns of the group", () => {
    const wanted = readUnit("kantoor.target").get("Wants")?.[0]?.split(" ") ?? [];
    const nodes = wanted.filter((unit) => unit.includes("@")).map((unit) => commandOf(unit.replace(/@.*\./, "@.")).slice(3));
    expect(nodes.map(groupOf).sort()).to.deep.equal(Object.keys(GROUPS).flatMap((name) => [name, name]));
  });

  for (const file of services)
    it(`gives ${file} settings that it can start with, and every secret as a credential`, () => {
      const unit = readUnit(file);
      const lines = [...(hardening.get("Environment") ?? []), ...(unit.get("Environment") ?? []), textOf("systemd/kantoor.env")];
      const words = lines.flatMap((line) => line.split(/\s+/)).filter((word) => /^(SERVICE_\w+|TRANSPORTER)=/.test(word));
      const environment = words.map((word) => [word.split("=")[0], word.slice(word.indexOf("=") + 1).replace("%i", "3001")]);
      const given = (unit.get("LoadCredential") ?? []).map((credential) => credential.split(":"));
      for (const [name, source] of given) expect(source).to.equal(`/etc/kantoor/secrets/${name}`);
      const names = given.map(([name]) => name as string);
      expect(faultsOf(Object.fromEntries(environment), folder, CREDENTIALS, names)).to.deep.equal([]);
    });

  it("runs every unit as a user of its own that can write its own folders alone", () => {
    for (const [key, value] of [
      ["User", "kantoor"],
      ["NoNewPrivileges", "yes"],
      ["ProtectSystem", "strict"],
      ["ProtectHome", "yes"],
      ["PrivateTmp", "yes"],
      ["CapabilityBoundingSet", ""],
      ["ReadWritePaths", "/var/lib/kantoor /var/cache/kantoor"],
    ] as const)
      expect(hardening.get(key), key).to.deep.equal([value]);
    for (const file of services) {
      expect(file).to.match(/^kantoor-/);
      for (const key of ["User", "ProtectSystem", "NoNewPrivileges"])
        expect(readUnit(file).has(key), `${file} ${key}`).to.equal(false);
    }
    expect(textOf("systemd/kantoor.sysusers")).to.match(/^u kantoor 10001 /);
  });

  it("is what systemd-analyze accepts", function () {
    const copy = mkdtempSync(path.join(tmpdir(), "kantoor-units-"));
    cpSync(UNITS, copy, { recursive: true });
    for (const file of services) {
      const text = readFileSync(path.join(copy, file), "utf8");
      writeFileSync(
        path.join(copy, file),
        text.replaceAll("/opt/kantoor/node_modules/.bin/node", process.execPath).replaceAll("/opt/kantoor", ROOT),
      );
    }
    const units = ["gateway@3000.service", "worker@3101.service", "migrations.service", "backup.service", "backup.timer"];
    const files = [...units.map((unit) => path.join(copy, `kantoor-${unit}`)), path.join(copy, "kantoor.target")];
    let said: string;
    try {
      said = execFileSync("sh", ["-c", 'exec systemd-analyze verify "$@" 2>&1', "sh", ...files], {
        encoding: "utf8",
        env: { ...process.env, SYSTEMD_UNIT_PATH: `${copy}:` },
      });
    } catch (error) {
      const { status, stdout } = error as { status: number; stdout: string };
      if (status !== 127) throw new Error(stdout);
      process.stdout.write("    not run: systemd-analyze is not installed\n");
      return this.skip();
    }
    expect(said).to.equal("");
  });
});
