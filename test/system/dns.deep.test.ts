import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { domainOf } from "../api/assets/site-records.ts";
import { freePort } from "../support/ports.ts";
import { launch, type Spawned } from "../support/process.ts";
import { startService, type Tenant, type TestService } from "../support/service.ts";

/** Where Debian puts it; an ordinary user's PATH may not name the first. */
const findKnot = (): string | undefined =>
  ["/usr/sbin", ...(process.env["PATH"] ?? "").split(path.delimiter)]
    .map((folder) => path.join(folder, "knotd"))
    .find((file) => existsSync(file));

const START = "@ SOA ns1 hostmaster 1 3600 900 86400 60";
/** Zones by name; the last one is invalid, so that the server answers SERVFAIL. */
const ZONES: Record<string, { text: string; signed?: boolean }> = {
  "signed.example": {
    signed: true,
    text: [START, "@ NS ns1", "@ NS NS2.Host.Example.", "@ MX 20 b.mail.example.", "@ MX 10 Mail", "ns1 A 192.0.2.1"].join("\n"),
  },
  "plain.example": {
    text: [START, "@ NS ns1", "@ MX 10 mail", "ns1 A 192.0.2.1", "alias CNAME plain", "plain MX 5 mail"].join("\n"),
  },
  "long.example": {
    signed: true,
    text: [
      START,
      ...Array.from({ length: 60 }, (_, n) => `@ NS a-rather-long-name-of-server-${n}.host.example.`),
      ...Array.from({ length: 60 }, (_, n) => `@ MX ${n} a-rather-long-name-of-exchanger-${n}.mail.example.`),
    ].join("\n"),
  },
  "broken.example": { text: "this is no zone" },
};

/** The lookups against a name server that others wrote, which signs its zones itself. */
describe("public DNS as Knot serves it", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "kantoor-knot-"));
  let knot: Spawned | undefined;
  let service: TestService | undefined;
  let tenant: Tenant;

  before(async function () {
    this.timeout(60_000);
    const file = findKnot();
    if (!file) {
      if (process.env["CI"] === "true") throw new Error("knotd is missing: apt-get install knot");
      process.stdout.write("    knotd is not installed, so lookups are tried against scripts alone (apt-get install knot)\n");
      this.skip();
    }
    const port = await freePort();
    for (const part of ["run", "db", "zones"]) mkdirSync(path.join(folder, part));
    for (const [name, { text }] of Object.entries(ZONES))
      writeFileSync(path.join(folder, "zones", `${name}.zone`), `$ORIGIN ${name}.\n$TTL 60\n${text}\n`);
    const zones = Object.entries(ZONES).map(
      ([name, { signed }]) =>
        `  - domain: ${name}\n    file: ${name}.zone\n${signed ? "    dnssec-signing: on\n    zonefile-sync: -1\n" : ""}`,
    );
    writeFileSync(
      path.join(folder, "knot.conf"),
      `server:\n  listen: 127.0.0.1@${port}\n  rundir: ${folder}/run\ndatabase:\n  storage: ${folder}/db
log:\n  - target: stdout\n    any: info\ntemplate:\n  - id: default\n    storage: ${folder}/zones\nzone:\n${zones.join("")}`,
    );
    knot = await launch([file, "-c", path.join(folder, "knot.conf")], { ready: /server started/ });
    service = await startService({ SERVICE_OUTBOUND_NAME_SERVERS: `127.0.0.1:${port}` });
    tenant = await service.tenant();
  });
  after(async () => {
    await service?.stop();
    await knot?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function refreshed(name: string) {
    const { id } = await domainOf((service as TestService).sql, tenant, { name });
    const { status, body } = await tenant.owner.post(`/domains/${id}/refresh`);
    expect(status).to.equal(200);
    const { nameservers, dnssec, mx_records } = body;
    return { nameservers, dnssec, mx_records };
  }

  for (const [what, name, wanted] of [
    [
      "a signed zone",
      "signed.example",
      {
        nameservers: ["ns1.signed.example", "ns2.host.example"],
        dnssec: true,
        mx_records: [
          { priority: 10, exchange: "mail.signed.example" },
          { priority: 20, exchange: "b.mail.example" },
        ],
      },
    ],
    [
      "an unsigned zone",
      "plain.example",
      {
        nameservers: ["ns1.plain.example"],
        dnssec: false,
        mx_records: [{ priority: 10, exchange: "mail.plain.example" }],
      },
    ],
    ["a zone that cannot be loaded", "broken.example", { nameservers: [], dnssec: null, mx_records: [] }],
    ["a name that no zone has", "nothing.plain.example", { nameservers: [], dnssec: null, mx_records: [] }],
    [
      "an alias in place of a zone",
      "alias.plain.example",
      { nameservers: [], dnssec: false, mx_records: [{ priority: 5, exchange: "mail.plain.example" }] },
    ],
    ["a zone of another server", "elsewhere.test", { nameservers: [], dnssec: null, mx_records: [] }],
  ] as const)
    it(`knows ${what}`, async () => {
      expect(await refreshed(name)).to.deep.equal(wanted);
    });

  it("reads by TCP answers that are too long for a packet", async () => {
    const { nameservers, dnssec, mx_records } = await refreshed("long.example");
    expect([nameservers.length, dnssec, mx_records.length]).to.deep.equal([60, true, 60]);
    expect(mx_records[59]).to.deep.equal({ priority: 59, exchange: "a-rather-long-name-of-exchanger-59.mail.example" });
  });
});
