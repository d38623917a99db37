import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { cellsOf, fetchSheet } from "../../support/impex.ts";
import { type LeaveService, type LeaveTenant, refused, startLeaveService } from "../../support/leave.ts";
import { fileBody } from "../../support/multipart.ts";
import type { Caller } from "../../support/service.ts";
import { cli, environmentOf } from "../cli/cli-support.ts";

const HEADERS = "email,leave_type_key,start_date,end_date,hours,status,note";
/** A row of an export without the id it begins with. */
const withoutId = (row: string): string => row.slice(row.indexOf(",") + 1);

describe("import of historic leave", () => {
  let service: LeaveService;
  let tenant: LeaveTenant;
  let folder: string;
  before(async () => {
    // Of its own: the command line, in this process, closes the database that it has opened.
    service = await startLeaveService("2028-06-01");
    folder = await mkdtemp(path.join(tmpdir(), "leave-"));
  });
  beforeEach(async () => {
    tenant = await service.leaveTenant();
  });
  after(async () => {
    await service.stop();
    await rm(folder, { recursive: true });
  });

  const csv = (...rows: string[]) => [HEADERS, ...rows.map((row) => row.replace("ANNA", tenant.employee.email))].join("\r\n");
  const send = (content: string, query = "?dry_run=false", who: Caller = tenant.owner) => {
    const { body, headers } = fileBody(content, "text/csv", "verlof.csv");
    return who.post(`/impex/leave_request${query}`, body, { headers });
  };
  const stored = async () => {
    const { body } = await tenant.owner.get("/leave/requests?all_users=true&sort=start_date");
    return body.items;
  };

  it("accepts the past, agreed hours as the agreed number, computed hours if empty, and approved without a status", async () => {
    await service.sql.query("update leave_types set active = false where id = $1", [tenant.types["special"]]);
    const { status, body } = await send(
      csv(
        "ANNA,vacation_statutory,2026-03-02,2026-03-03,,,Kort weekend",
        "ANNA,special,2026-03-07,2026-03-07,4,rejected,",
        `${"ANNA"},sick,02-04-2026,02-04-2026,"7,5",geannuleerd,`,
        "ANNA,sick,2029-05-07,2029-05-07,,pending,",
      ),
    );
    expect([status, body.created, body.errors]).to.deep.equal([200, 4, []]);
    expect(
      (await stored()).map((one: Record<string, unknown>) => [
        one["start_date"],
        one["status"],
        one["hours"],
        one["hours_override"],
        one["hours_override_by_user_id"],
        one["note"],
        one["decided_at"],
      ]),
    ).to.deep.equal([
      ["2026-03-02", "approved", "16.00", null, null, "Kort weekend", null],
      ["2026-03-07", "rejected", "4.00", "4.00", null, null, null],
      ["2026-04-02", "cancelled", "7.50", "7.50", null, null, null],
      ["2029-05-07", "pending", "8.00", null, null, null, null],
    ]);
  });

  it("notifies nobody and creates no pot", async () => {
    await send(csv("ANNA,vacation_statutory,2028-03-07,2028-03-07,,,", "ANNA,sick,2028-03-08,2028-03-08,,pending,"));
    const { rows } = await service.sql.query(
      "select (select count(*) from recorded where organisation_id = $1) + (select count(*) from leave_entitlements where organisation_id = $1) as n",
      [tenant.organisation.id],
    );
    expect(rows).to.deep.equal([{ n: "0" }]);
  });

  it("reports bad, overlapping and worthless rows by number and column, and then stores nothing", async () => {
    await tenant.employee.post("/leave/requests", {
      leave_type_id: tenant.types["sick"],
      start_date: "2028-06-05",
      end_date: "2028-06-06",
    });
    const { status, body } = await send(
      csv(
        "nobody@example.com,sick,2026-03-02,2026-03-02,,,",
        "ANNA,holiday,2026-03-02,2026-03-02,,,",
        "ANNA,sick,2026-03-03,2026-03-02,,,",
        "ANNA,sick,2026-03-02,2026-03-02,0,,",
        "ANNA,sick,2026-03-02,2026-03-02,2000.01,,",
        "ANNA,sick,2026-03-07,2026-03-08,,,",
        "ANNA,sick,2028-06-06,2028-06-07,,,",
        "ANNA,sick,2026-03-09,2026-03-10,,,",
        "ANNA,sick,2026-03-10,2026-03-10,,,",
        "ANNA,sick,2026-03-10,2026-03-10,,rejected,",
        "ANNA,sick,2026-13-01,2026-03-10,,,",
        "ANNA,sick,2026-03-12,2026-03-12,,maybe,",
        "ANNA,sick,2026-03-13,2026-03-13,0.004,,",
      ),
    );
    expect(status).to.equal(200);
    expect(body.errors.map((one: Record<string, unknown>) => [one["row"], one["column"], one["error"]])).to.deep.equal([
      [2, "email", "errors.not_found"],
      [3, "leave_type_key", "errors.not_found"],
      [4, "end_date", "errors.leave_end_before_start"],
      [5, "hours", "errors.validation"],
      [6, "hours", "errors.validation"],
      [7, "hours", "errors.leave_no_working_hours"],
      [8, "start_date", "errors.leave_overlap"],
      [10, "start_date", "errors.leave_overlap"],
      [12, "start_date", "impex.errors.invalid_date"],
      [13, "status", "impex.errors.invalid_option"],
      [14, "hours", "errors.validation"],
    ]);
    expect(await stored()).to.have.length(1);
  });

  it("rehearses by default", async () => {
    const { body } = await send(csv("ANNA,sick,2026-03-02,2026-03-02,,,"), "");
    expect([body.created, await stored()]).to.deep.equal([1, []]);
  });

  it("needs impex.import and leave.request.write:any", async () => {
    for (const grants of [["impex.import", "leave.request.write:own"], ["leave.request.write:any"]]) {
      const who = await tenant.member("member", { grants });
      expect(refused(await send(csv(), "", who))).to.deep.equal([403, "forbidden", "errors.forbidden"]);
    }
  });

  it("exports as imported, and imports elsewhere; others' leave only with read :any", async () => {
    await send(csv("ANNA,vacation_statutory,2026-03-02,2026-03-03,,,Kort", "ANNA,sick,2026-04-02,2026-04-02,7.5,cancelled,"));
    const { status, text } = await tenant.owner.get("/impex/leave_request?all_users=true");
    expect(status).to.equal(200);
    expect(text).to.match(/^\ufeffid,email,/);
    expect(text.replace("\ufeff", "").trim().split(/\r?\n/).map(withoutId)).to.deep.equal([
      HEADERS,
      `${tenant.employee.email},vacation_statutory,2026-03-02,2026-03-03,16.00,approved,Kort`,
      `${tenant.employee.email},sick,2026-04-02,2026-04-02,7.50,cancelled,`,
    ]);
    expect((await tenant.owner.get("/impex/leave_request")).text.trim().split(/\r?\n/)).to.have.length(1);
    const who = await tenant.member("member", { grants: ["impex.export", "leave.request.read:own"] });
    expect((await who.get("/impex/leave_request?all_users=true")).status).to.equal(403);
  });

  it("exports to a workbook with hours as number cells and days as date cells", async () => {
    await send(csv("ANNA,sick,2026-04-02,2026-04-02,7.5,cancelled,"));
    const path = "/impex/leave_request?format=xlsx&all_users=true";
    const [header = [], row = []] = await cellsOf(await fetchSheet(service.port, tenant.host, tenant.owner.key, path));
    const cell = (key: string) => row[header.indexOf(key)];
    expect([cell("hours"), cell("start_date")]).to.deep.equal([7.5, new Date("2026-04-02T00:00:00Z")]);
  });

  it("runs from the command line, any number of rows, all or none", async () => {
    const file = path.join(folder, "verlof.csv");
    const environment = environmentOf(service.database);
    const run = async (content: string, ...more: string[]) => {
      await writeFile(file, content);
      return cli(environment, ["import", "leave-requests", file, "--org", tenant.organisation.slug, "--json", ...more]);
    };
    const days = Array.from({ length: 2500 }, (_, n) => new Date(Date.UTC(2015, 0, 1 + n)).toISOString().slice(0, 10));
    const rows = days.map((day) => `ANNA,sick,${day},${day},1,,`);
    const good = await run(csv(...rows));
    expect([good.status, good.json.created], good.err).to.deep.equal([0, 2500]);
    const bad = await run(csv("ANNA,sick,2014-01-01,2014-01-01,1,,", "ANNA,sick,2015-01-01,2015-01-01,1,,"));
    expect([bad.status, bad.json.errors[0].row, bad.json.errors[0].error]).to.deep.equal([2, 3, "errors.leave_overlap"]);
    const { rows: counted } = await service.sql.query(
      "select count(*)::int as n from leave_requests where organisation_id = $1",
      [tenant.organisation.id],
    );
    expect(counted[0].n).to.equal(2500);
  });
});
