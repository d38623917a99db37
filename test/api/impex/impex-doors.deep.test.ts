import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { fetchSheet } from "../../support/impex.ts";
import { type LeaveService, type LeaveTenant, startLeaveService } from "../../support/leave.ts";
import { cli, environmentOf } from "../cli/cli-support.ts";

/** The command line closes the pool of this process, so everything over HTTP comes first. */
describe("exports of the command line", () => {
  let service: LeaveService;
  let tenant: LeaveTenant;
  let folder: string;
  const overHttp = new Map<string, string>();

  before(async () => {
    service = await startLeaveService("2028-06-01");
    tenant = await service.leaveTenant();
    folder = await mkdtemp(path.join(tmpdir(), "kantoor-doors-"));
    const { owner, employee, types } = tenant;
    const gone = await tenant.member("member");
    const made = await tenant.company({ name: "Bakker", status: "archived" });
    await tenant.company({ name: "Slager", status: "lead", responsible_user_id: employee.accountId });
    await owner.post("/contacts", { first_name: "Jan", email: "jan@x.example", company_ids: [made.id] });
    await owner.post("/contacts", { first_name: "Los" });
    const leave = async (who: typeof owner, type: string, day: string) => {
      const { status, text } = await who.post("/leave/requests", {
        leave_type_id: types[type],
        start_date: day,
        end_date: day,
      });
      expect(status, text).to.equal(201);
    };
    await leave(employee, "sick", "2028-06-06");
    await leave(owner, "vacation_statutory", "2028-06-07");
    await leave(gone, "special", "2028-06-08");
    await service.sql.query("update leave_types set active = false where id = $1", [types["special"]]);
    await service.sql.query("update memberships set deactivated_at = now() where id = $1", [gone.membershipId]);
    for (const [plural, address] of [
      ["companies", "company"],
      ["contacts", "contact"],
      ["leave-requests", "leave_request?all_users=true"],
    ] as const)
      overHttp.set(plural, (await fetchSheet(service.port, tenant.host, owner.key, `/impex/${address}`)).toString());
  });
  after(async () => {
    await service.stop();
    await rm(folder, { recursive: true });
  });

  for (const [plural, rows] of [
    ["companies", 2],
    ["contacts", 2],
    ["leave-requests", 3],
  ] as const)
    it(`hold all ${plural}, as the owner's do over HTTP`, async () => {
      const file = path.join(folder, `${plural}.csv`);
      const argv = ["export", plural, file, "--org", tenant.organisation.slug, "--json"];
      const ran = await cli(environmentOf(service.database), argv);
      expect(ran.status, ran.err).to.equal(0);
      expect(ran.json).to.include({ rows });
      expect(await readFile(file, "utf8")).to.equal(overHttp.get(plural));
    });
}).timeout(60_000);
