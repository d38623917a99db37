import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { expect } from "chai";
import { TOOL_FILES } from "../../fixtures/impex/tool-files.ts";
import { sendSheet } from "../../support/impex.ts";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";

describe("files as other tools write them (test/files)", () => {
  let service: TestService;
  let tenant: Tenant;
  let noor: string;

  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    noor = (await tenant.member("member", { name: "Noor Jansen" })).email;
    const linde = await tenant.company({ name: "Bakkerij De Linde", website: "https://delinde.example" });
    await tenant.owner.post("/projects", { name: "Huisstijl", company_id: linde.id });
    await tenant.owner.post("/tasks/labels", { name: "druk", color: "sky" });
  });
  after(() => service.stop());

  /** A record as the table shows it: labels by name, and the number of people. */
  const shown = (row: Record<string, unknown>, keys: readonly string[]) => ({
    ...Object.fromEntries(keys.map((key) => [key, row[key]])),
    ...(keys.includes("labels") && { labels: (row["labels"] as { name: string }[]).map(({ name }) => name) }),
    ...(keys.includes("companies") && { companies: (row["companies"] as { name: string }[]).map(({ name }) => name) }),
    ...(keys.includes("people") && { people: (row["assignees"] as unknown[]).length }),
  });

  it("are 33, each with its table of what arrives", async () => {
    const files = (await readdir(path.join(import.meta.dirname, "../../files"))).filter((name) => name.endsWith(".csv"));
    expect(TOOL_FILES.map(({ file }) => file)).to.have.members(files);
    expect(files).to.have.length(33);
  });

  it("need at most the fate of unknown words and the order of day and month", () => {
    const unaided = TOOL_FILES.filter(({ query }) => /^(?:(?:unknown=leave_out|date_order=[dm]{2}y)&?)*$/.test(query));
    expect(unaided.length).to.be.at.least(30);
  });

  for (const { file, entity, query, created, updated = 0, left, list, rows } of TOOL_FILES)
    it(`take ${file}${query === "" ? "" : ` with ${query}`}`, async () => {
      // Lists of registrars name no client: its website does.
      if (entity === "domain") await tenant.company({ name: "Slagerij Bos", website: "www.slagerijbos.example" });
      const content = await readFile(path.join(import.meta.dirname, "../../files", file), "utf8");
      const own = content.replaceAll("noor@bureau.example", noor);
      const { body, text } = await sendSheet(tenant.owner, entity, own, `?dry_run=false&${query}`);
      expect(body, text).to.deep.include({ created, updated, errors: [], ambiguous: [] });
      const named = body.left_out.map(
        ({ row, column, value }: { row: number; column: string; value: string }) => `${row} ${column} ${value}`,
      );
      expect(named).to.have.members(left);
      const { items } = (await tenant.owner.get(list)).body;
      expect(items.map((item: Record<string, unknown>, at: number) => shown(item, Object.keys(rows[at] ?? {})))).to.deep.equal(
        rows,
      );
    });
}).timeout(60_000);
