import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect } from "chai";
import { sendSheet } from "../../support/impex.ts";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";

interface Tool {
  file: string;
  entity: string;
  /** What the caller adds. */
  query: string;
  created: number;
  /** Row, column and value. */
  left: readonly string[];
  /** The list, and what its records hold, in its order. */
  list: string;
  rows: readonly Record<string, unknown>[];
}

const LEAVE = "unknown=leave_out";
const TOOLS: readonly Tool[] = [
  {
    ...{ file: "asana-tasks.csv", entity: "task", query: LEAVE, created: 3, list: "/tasks?sort=title" },
    left: [
      ...["2 labels ontwerp", "2 responsible Noor Jansen", "3 responsible weg@bureau.example", "3 responsible Thijs Bos"],
      ...["3 status Doing", "3 status 2026-09-12", "4 status Wensen van de klant"],
    ],
    rows: [
      { title: "Kleuren kiezen", status: "open", description: "Regel een\nRegel twee", labels: ["druk"] },
      { title: "Logo opleveren", status: "done", due_date: "2026-09-15" },
      { title: "Menukaart ontwerpen", status: "open", due_date: "2026-09-30", labels: ["druk"], people: 1 },
    ],
  },
  {
    ...{ file: "trello-cards.csv", entity: "task", query: LEAVE, created: 2, list: "/tasks?sort=title" },
    left: ["2 labels Inkoop", "2 labels Haast", "3 status Bij de klant"],
    rows: [
      { title: "Materiaal bestellen", status: "open" },
      { title: "Offerte maken", status: "open", due_date: "2026-10-09", labels: [], people: 1 },
    ],
  },
  {
    ...{ file: "clickup-tasks.csv", entity: "task", query: LEAVE, created: 2, list: "/tasks?sort=title" },
    left: ["2 labels web", "2 labels haast", "2 status Lijst een", "3 status Lijst een"],
    rows: [
      { title: "Foto's uitzoeken", status: "in_progress", due_date: null, people: 0 },
      {
        ...{ title: "Teksten schrijven", status: "open", due_date: "2026-12-01", priority: "high", description: "Drie pagina's" },
        ...{ allocated_minutes: 90, people: 1 },
      },
    ],
  },
  {
    ...{ file: "jira-issues.csv", entity: "task", query: LEAVE, created: 2, list: "/tasks?sort=title" },
    left: ["2 labels betalen", "2 labels mobiel", "3 labels juridisch"],
    rows: [
      {
        ...{ title: "Afrekenen werkt niet op telefoons", status: "in_progress", due_date: "2026-11-10", priority: "high" },
        ...{ allocated_minutes: 90, people: 1 },
      },
      { title: "Voorwaarden bijwerken", status: "done", priority: "low" },
    ],
  },
  {
    ...{ file: "kimai-timesheet.csv", entity: "time_entry", query: "unknown=create", created: 2 },
    left: ["2 employee Noor Jansen", "3 employee Noor Jansen"],
    list: "/time/entries?date_from=2026-09-01&date_to=2026-09-30&all_users=true",
    rows: [
      { minutes: 45, billable: false, entry_type_key: "overleg" },
      { minutes: 90, billable: true, entry_type_key: "ontwerp", description: "Schets van de kaart" },
    ],
  },
  {
    ...{
      file: "whmcs-clients.csv",
      entity: "company",
      query: "date_order=dmy",
      created: 1,
      left: [],
      list: "/companies?sort=name",
    },
    rows: [
      { name: "Bakkerij De Linde", city: "Utrecht", phone: "+31302300000" },
      { name: "Eva Bos", status: "archived", address_line2: "Achterhuis" },
    ],
  },
  {
    ...{ file: "whmcs-domains.csv", entity: "domain", query: `${LEAVE}&date_order=dmy`, created: 2, list: "/domains?sort=name" },
    left: ["2 registrar transip", "3 registrar openprovider"],
    rows: [
      { name: "delinde.example", start_date: "2020-04-03", next_invoice_date: "2027-04-03", status: "active" },
      { name: "linde-winkel.example", start_date: "2021-06-05", status: "expired" },
    ],
  },
];

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
    const linde = await tenant.company({ name: "Bakkerij De Linde" });
    await tenant.owner.post("/projects", { name: "Huisstijl", company_id: linde.id });
    await tenant.owner.post("/tasks/labels", { name: "druk", color: "sky" });
  });
  after(() => service.stop());

  /** A record as the table shows it: labels by name, and the number of people. */
  const shown = (row: Record<string, unknown>, keys: readonly string[]) => ({
    ...Object.fromEntries(keys.map((key) => [key, row[key]])),
    ...(keys.includes("labels") && { labels: (row["labels"] as { name: string }[]).map(({ name }) => name) }),
    ...(keys.includes("people") && { people: (row["assignees"] as unknown[]).length }),
  });

  for (const { file, entity, query, created, left, list, rows } of TOOLS)
    it(`take ${file} with ${query}`, async () => {
      const content = await readFile(path.join(import.meta.dirname, "../../files", file), "utf8");
      const own = content.replaceAll("noor@bureau.example", noor);
      const { body, text } = await sendSheet(tenant.owner, entity, own, `?dry_run=false&${query}`);
      expect(body, text).to.deep.include({ created, errors: [], ambiguous: [] });
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
