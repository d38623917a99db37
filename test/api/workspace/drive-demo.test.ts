import { expect } from "chai";
import { fillDrive } from "../../../integrations/workspace/demo/demo-drive.ts";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";

describe("the demo of files", () => {
  let service: TestService;
  let tenant: Tenant;
  let company: string;
  let project: string;
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
    company = (await tenant.company({ name: "Bakkerij Zoet", status: "active" })).id;
    project = (await tenant.owner.post("/projects", { name: "Webwinkel", company_id: company })).body.id;
    await tenant.owner.post("/tasks", { title: "Bouwen", project_id: project });
    await tenant.company({ name: "Zonder project", status: "active" });
    await fill();
  });
  after(() => service.stop());

  const colleague = () => ({ id: tenant.owner.accountId, name: "Sanne" });
  const fill = () => fillDrive({ organisation: tenant.organisation, colleagues: [colleague()] });
  const linked = async (entity_type: string, entity_id: string) =>
    (await tenant.owner.get(`/workspace/drive/links?entity_type=${entity_type}&entity_id=${entity_id}&rollup=true`)).body.map(
      ({ name, is_root }: { name: string; is_root: boolean }) => [name, is_root],
    );

  it("links folders and files to clients, projects and their tasks", async () => {
    expect(await linked("company", company)).to.deep.equal([
      ["Bakkerij Zoet", true],
      ["Overeenkomst.pdf", false],
    ]);
    expect(await linked("project", project)).to.deep.equal([
      ["Webwinkel", true],
      ["Briefing", false],
    ]);
  });

  it("is filled once", async () => {
    await fill();
    expect(await linked("company", company)).to.have.length(2);
  });
});
